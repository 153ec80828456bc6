// A number of things in a sentence: "1 mail", "2 mails".
export const counted = (number: number, word: string): string =>
  `${number} ${word}${number === 1 ? "" : "s"}`;
