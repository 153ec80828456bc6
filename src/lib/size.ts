// Byte sizes as people write them: "50MiB", "2 GB", "1024".

const SIZE = /^(\d+(?:\.\d+)?)\s*(?:([kmgt])(i?b)?|b)?$/;
const PREFIXES = ["", "k", "m", "g", "t"];
const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

/** Bytes, or null when the text is not a size. */
export function parseSize(text: string): number | null {
  const match = SIZE.exec(text.trim().toLowerCase());
  if (!match) return null;
  const [, number, prefix = "", unit] = match;
  const base = unit === "b" ? 1000 : 1024;
  const bytes = Math.round(Number(number) * base ** PREFIXES.indexOf(prefix));
  return Number.isSafeInteger(bytes) ? bytes : null;
}

/** The shortest exact-looking form for a person: "1.5 KiB", "50 MiB". */
export function formatSize(bytes: number): string {
  let value = bytes;
  let power = 0;
  for (; value >= 1024 && power < UNITS.length - 1; power++) value /= 1024;
  return `${Number(value.toFixed(power > 0 && value < 10 ? 1 : 0))} ${UNITS[power]}`;
}
