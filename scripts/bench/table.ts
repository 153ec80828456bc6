// The bench's figures with their targets, and a text table that shows them by section.

export type Unit = "mails/s" | "ratio" | "ms" | "MB" | "µs" | "times";

export interface Target {
  readonly is: "at least" | "under";
  readonly value: number;
}

export interface Figure {
  readonly section: string;
  readonly name: string;
  readonly value: number;
  readonly unit: Unit;
  readonly target?: Target | undefined;
  readonly note?: string | undefined;
}

/** Takes figures while a measurement runs, so that they are shown even if the time runs out. */
export interface Report {
  tell(text: string): void;
  /** Replaces earlier figures with the same section and name. */
  add(...figures: readonly Figure[]): void;
}

export type Verdict = "ok" | "missed" | "";

export function verdictOf({ value, target }: Figure): Verdict {
  if (target === undefined) return "";
  const holds = target.is === "at least" ? value >= target.value : value < target.value;
  return holds ? "ok" : "missed";
}

export const atLeast = (value: number): Target => ({ is: "at least", value });
export const under = (value: number): Target => ({ is: "under", value });

/** This share (0 to 1) of all values is below the result. NaN if there are no values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

const COLUMNS = ["what", "figure", "target", "", "note"] as const;
const RIGHT_ALIGNED = new Set([1, 2]);

export function formatValue(value: number, unit: Unit): string {
  if (Number.isNaN(value)) return "none";
  // Rounded down, so that a value below its target does not look as if it had reached it.
  if (unit === "ratio") return (Math.floor(value * 100 + 1e-9) / 100).toFixed(2);
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  const number = value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${number} ${unit}`;
}

export const count = (value: number) => Math.round(value).toLocaleString("en");

export const range = (ratios: readonly number[]): string =>
  [Math.min(...ratios), Math.max(...ratios)].map((value) => formatValue(value, "ratio")).join(" to ");

function cellsOf(figure: Figure): string[] {
  const { name, value, unit, target, note = "" } = figure;
  const aim = target === undefined ? "" : `${target.is} ${formatValue(target.value, unit)}`;
  return [name, formatValue(value, unit), aim, verdictOf(figure), note];
}

function lineOf(cells: readonly string[], widths: readonly number[]): string {
  const padded = cells.map((cell, at) => {
    const width = widths[at] ?? 0;
    return RIGHT_ALIGNED.has(at) ? cell.padStart(width) : cell.padEnd(width);
  });
  return `  ${padded.join("  ")}`.trimEnd();
}

function summaryOf(figures: readonly Figure[]): string[] {
  const verdicts = figures.map(verdictOf).filter((verdict) => verdict !== "");
  const reached = verdicts.filter((verdict) => verdict === "ok").length;
  return verdicts.length === 0 ? [] : ["", `${reached} of ${verdicts.length} targets reached`];
}

/** `legends` say what the figures of a section are. */
export function formatTable(
  figures: readonly Figure[],
  legends: Readonly<Record<string, string>> = {},
): string {
  const rows = figures.map(cellsOf);
  const widths = COLUMNS.map((title, at) =>
    Math.max(title.length, ...rows.map((cells) => cells[at]?.length ?? 0)),
  );
  const lines = [lineOf(COLUMNS, widths)];
  let section = "";
  figures.forEach((figure, at) => {
    const legend = legends[figure.section];
    if (figure.section !== section) lines.push("", legend ? `${figure.section}: ${legend}` : figure.section);
    section = figure.section;
    lines.push(lineOf(rows[at] ?? [], widths));
  });
  return [...lines, ...summaryOf(figures)].join("\n");
}
