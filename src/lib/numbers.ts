// Sizes in bytes as people write them ("50MiB", "2 GB", "1024"), and histograms.

const SIZE = /^(\d+(?:\.\d+(?=\s*[kmgt]))?)\s*(?:([kmgt])(i?b)?|b)?$/;
const PREFIXES = ["", "k", "m", "g", "t"];
const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

/** Bytes, or null if the text is not a size, or the number is too large to be exact. */
export function parseSize(text: string): number | null {
  const match = SIZE.exec(text.trim().toLowerCase());
  if (!match) return null;
  const [, number, prefix = "", unit] = match;
  const base = unit === "b" ? 1000 : 1024;
  const bytes = Math.round(Number(number) * base ** PREFIXES.indexOf(prefix));
  return Number.isSafeInteger(bytes) ? bytes : null;
}

/** Rounded for a person: "1.5 KiB", "50 MiB". */
export function formatSize(bytes: number): string {
  let value = bytes;
  let power = 0;
  for (; value >= 1024 && power < UNITS.length - 1; power++) value /= 1024;
  return `${Number(value.toFixed(power > 0 && value < 10 ? 1 : 0))} ${UNITS[power]}`;
}

/** Counts values by their size. The counts are not cumulative; `/metrics` adds them up for Prometheus. */
export class Histogram {
  readonly bounds: readonly number[];
  /** How many values are in each range between bounds. The last range has no upper bound. */
  readonly counts: number[];
  sum = 0;

  /** Upper bounds, ascending. */
  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    let at = 0;
    while (at < this.bounds.length && value > (this.bounds[at] as number)) at++;
    this.counts[at] = (this.counts[at] as number) + 1;
    this.sum += value;
  }
}

/** Bounds for durations in seconds. */
export const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
