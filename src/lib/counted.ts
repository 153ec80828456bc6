// Numbers in sentences.
/** A number of things as a person says it: "1 mail", "2 mails". */
export const counted = (number: number, word: string): string =>
  `${number} ${word}${number === 1 ? "" : "s"}`;
