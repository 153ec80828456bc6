// The table of captured mails that a person reads at the end of a run.
import type { MessageSummary } from "../../client/index.ts";
import { fit } from "./printable.ts";

const ROWS_SHOWN = 20;
const ADDRESS_WIDTH = 32;
const SUBJECT_WIDTH = 60;

function rowOf({ sender, recipients, subject }: MessageSummary): [to: string, from: string, subject: string] {
  const [first = "", ...others] = recipients;
  const to =
    others.length > 0 ? `${fit(first, ADDRESS_WIDTH - 4)} +${others.length}` : fit(first, ADDRESS_WIDTH);
  return [to, fit(sender || "<>", ADDRESS_WIDTH), fit(subject, SUBJECT_WIDTH)];
}

export function describeCaptured(mails: readonly MessageSummary[]): string {
  if (mails.length === 0) return "mailkeep: no mail was captured\n";
  const rows = [["to", "from", "subject"], ...mails.slice(0, ROWS_SHOWN).map(rowOf)];
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const [toWidth, fromWidth] = [width(0), width(1)];
  const lines = rows.map(([to = "", from = "", subject = ""]) =>
    `  ${to.padEnd(toWidth)}  ${from.padEnd(fromWidth)}  ${subject}`.trimEnd(),
  );
  const more = mails.length > ROWS_SHOWN ? [`  … and ${mails.length - ROWS_SHOWN} more`] : [];
  const title = `mailkeep: ${mails.length === 1 ? "1 mail was" : `${mails.length} mails were`} captured`;
  return `${[title, ...lines, ...more].join("\n")}\n`;
}
