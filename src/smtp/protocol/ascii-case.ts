// Upper case as SMTP means it (RFC 5321 section 2.4): of ASCII letters only. toUpperCase() alone makes S of ſ, I of ı
// and ST of ﬆ, and so a verb of what is none.

export const asciiUpperCase = (word: string): string =>
  word.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
