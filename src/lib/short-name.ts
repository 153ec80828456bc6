// A file's name within a limit. It is cut before its extension, which says what the file is.

/** Two where there are two, as in ".tar.gz". */
const EXTENSION = /(?:\.[\p{L}\p{N}_-]{1,16}){1,2}\s*$/u;
/** More than an extension is long. */
const MAX_END_CHARS = 100;

/** The limit is well above the length of an extension. */
export function shortName(name: string, maxChars: number): string {
  if (name.length <= maxChars) return name;
  const chars = [...name];
  if (chars.length <= maxChars) return name;
  const extension = EXTENSION.exec(name.slice(-MAX_END_CHARS))?.[0].trimEnd() ?? "";
  return chars.slice(0, maxChars - [...extension].length).join("") + extension;
}
