// Mails as a table for people, in columns that fit the terminal.
import type { MessageSummary, Rejection } from "../../client/index.ts";
import { fit } from "../command/terminal.ts";

export function inColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => Bun.stringWidth(row[column] ?? ""))),
  );
  const padded = (cell: string, column: number) =>
    cell + " ".repeat((widths[column] ?? 0) - Bun.stringWidth(cell));
  return rows.map((row) => row.map(padded).join("  ").trimEnd());
}

type Addresses = Pick<MessageSummary, "sender" | "recipients">;

export function addressCells({ sender, recipients }: Addresses, width: number) {
  const [first = "", ...others] = recipients;
  const more = others.length > 0 ? ` +${others.length}` : "";
  return { from: fit(sender || "<>", width), to: fit(first, width - more.length) + more };
}

/** The local time, with the date unless that is today. */
function timeCell(createdAt: string, now: Date): string {
  const time = new Date(createdAt);
  const clock = time.toTimeString().slice(0, "10:00:00".length);
  if (time.toDateString() === now.toDateString()) return clock;
  // The Swedish locale formats dates as ISO 8601.
  return `${time.toLocaleDateString("sv")} ${clock.slice(0, "10:00".length)}`;
}

const flagsCell = ({ is_read, is_starred, has_attachments }: MessageSummary): string =>
  `${is_read ? "" : "●"}${is_starred ? "★" : ""}${has_attachments ? "+" : ""}`;

const WIDTH_WITH_ID = 120;
const ADDRESS_SHARE = 0.2;

/** Nothing is cut when `width` is infinite. */
export function mailTable(mails: readonly MessageSummary[], width: number, now: Date): string {
  const addressWidth = Math.floor(width * ADDRESS_SHARE);
  const idCell = (id: string) => (width < WIDTH_WITH_ID ? [] : [id]);
  const rows = mails.map((mail) => {
    const { from, to } = addressCells(mail, addressWidth);
    const subject = fit(mail.subject, width);
    return [...idCell(mail.id), timeCell(mail.created_at, now), from, to, flagsCell(mail), subject];
  });
  return fitting([[...idCell("id"), "time", "from", "to", "", "subject"], ...rows], width);
}

export function rejectionTable(rejections: readonly Rejection[], width: number, now: Date): string {
  const rows = rejections.map((rejection) => {
    const { from, to } = addressCells(rejection, Math.floor(width * ADDRESS_SHARE));
    const { at, stage, client, reply } = rejection;
    return [timeCell(at, now), client, stage, from, to, fit(reply, width)];
  });
  return fitting([["time", "client", "at", "from", "to", "reply"], ...rows], width);
}

const fitting = (rows: readonly (readonly string[])[], width: number) =>
  inColumns(rows)
    .map((line) => `${fit(line, width)}\n`)
    .join("");
