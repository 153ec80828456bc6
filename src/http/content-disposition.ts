// Content-Disposition by RFC 6266: an ASCII name for old clients and the true one in `filename*` (RFC 8187).
import { shortName } from "../lib/short-name.ts";

const MAX_NAME_CHARACTERS = 200;

export function attachmentNamed(filename: string): string {
  const name = safeName(filename);
  return `attachment; filename="${asciiName(name)}"; filename*=UTF-8''${extValue(name)}`;
}

/** For names of our own making, known to be plain ASCII. */
export const attachmentPlainlyNamed = (filename: string) => `attachment; filename="${filename}"`;

/** A name from a mail must not lead out of the folder, or break the header. */
export function safeName(filename: string): string {
  const clean = filename
    .toWellFormed()
    .replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, "")
    .replace(/[/\\]/g, "_");
  const short = shortName(clean, MAX_NAME_CHARACTERS);
  return short === "" || /^\.+$/.test(short) ? "attachment" : short;
}

const asciiName = (name: string) => name.replace(/[^\x20-\x7e]/gu, "_").replace(/["\\%]/g, "_");

const extValue = (name: string) =>
  encodeURIComponent(name).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
