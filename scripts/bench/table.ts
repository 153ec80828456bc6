// The table at the end: a block for each section, columns as wide as their widest cell.
import { type Figure, type Unit, verdictOf } from "./figure.ts";

const COLUMNS = ["what", "figure", "target", "", "note"] as const;
const RIGHT_ALIGNED = new Set([1, 2]);

/** Large values without decimals, small ones with as many as tell something. */
export function formatValue(value: number, unit: Unit): string {
  if (Number.isNaN(value)) return "none";
  // Not rounded up: what is short of a target must not look as if it had reached it.
  if (unit === "ratio") return (Math.floor(value * 100 + 1e-9) / 100).toFixed(2);
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  const number = value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${number} ${unit}`;
}

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
