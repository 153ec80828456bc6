// Takes a password out of what a server said: some repeat the command that they refuse.
import type { ReleaseRequest } from "../../model/index.ts";

export type Scrub = (said: string) => string;

const MASK = "***";
/** Shorter passwords are parts of ordinary words: they are taken out as whole words only. */
const MIN_TELLING_LENGTH = 4;

export function scrubFor({ username = "", password = "" }: ReleaseRequest): Scrub {
  if (password === "") return (said) => said;
  const forms = [
    // AUTH PLAIN, AUTH LOGIN, and both without the padding.
    `${RegExp.escape(unpadded(`\0${username}\0${password}`))}=*`,
    `${RegExp.escape(unpadded(password))}=*`,
    RegExp.escape(password),
    // In a reply that is not UTF-8 every byte is a character.
    RegExp.escape(Buffer.from(password).toString("latin1")),
  ];
  const any = `(?:${forms.join("|")})`;
  const isTelling = password.length >= MIN_TELLING_LENGTH;
  const pattern = new RegExp(isTelling ? any : `(?<![\\p{L}\\p{N}])${any}(?![\\p{L}\\p{N}])`, "gu");
  return (said) => said.replace(pattern, MASK);
}

const unpadded = (text: string): string => Buffer.from(text).toString("base64").replace(/=+$/, "");
