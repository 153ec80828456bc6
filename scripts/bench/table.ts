// The table at the end: a block for each section, columns as wide as their widest cell.
import { type Figure, type Unit, verdictOf } from "./figure.ts";

const COLUMNS = ["what", "figure", "target", "", "note"] as const;
const RIGHT_ALIGNED = new Set([1, 2]);

/** Large values without decimals, small ones with as many as tell something. */
export function formatValue(value: number, unit: Unit): string {
  if (Number.isNaN(value)) return "none";
  if (unit === "ratio") return value.toFixed(2);
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

export function formatTable(figures: readonly Figure[]): string {
  const rows = figures.map(cellsOf);
  const widths = COLUMNS.map((title, at) =>
    Math.max(title.length, ...rows.map((cells) => cells[at]?.length ?? 0)),
  );
  const lines = [lineOf(COLUMNS, widths)];
  let section = "";
  figures.forEach((figure, at) => {
    if (figure.section !== section) lines.push("", figure.section);
    section = figure.section;
    lines.push(lineOf(rows[at] ?? [], widths));
  });
  return lines.join("\n");
}
