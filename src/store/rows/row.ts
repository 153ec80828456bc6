// One row of the index, and how it becomes the summary that clients see.
import { foldCase } from "../../lib/fold.ts";
import { isoTime } from "../../lib/iso-time.ts";
import type { MessageChange, MessageSummary } from "../../model/index.ts";

const hash = Bun.hash.xxHash32;

export interface MessageRow {
  readonly seq: number;
  readonly id: string;
  readonly created: number;
  readonly size: number;
  readonly segment: number;
  readonly at: number;
  readonly body_at: number;
  readonly is_read: number;
  readonly is_starred: number;
  readonly has_attachments: number;
  readonly sender: string;
  readonly recipients: string;
  readonly subject: string;
  readonly tags: string | null;
}

/** What tells where the raw bytes lie; it is checked by the record that is found there. */
export type RecordRow = Pick<MessageRow, "seq" | "id" | "size" | "segment" | "at" | "body_at">;

/** A row as it is read, with the checksum that it was written with. */
export interface SummedRow extends MessageRow {
  readonly sum: number;
}

export const ROW_COLUMNS =
  "seq, id, created, size, segment, at, body_at, is_read, is_starred, has_attachments, sender, recipients, subject, tags";

/**
 * The checksum of all that clients are shown. Where the record lies is not a part of it: that is checked whenever
 * it is read, and a compaction moves many at once.
 */
export function sumOf(row: MessageRow): number {
  const flags = row.is_read | (row.is_starred << 1) | (row.has_attachments << 2);
  const numbers = Math.imul(row.size, 31) ^ row.created ^ Math.trunc(row.created / 2 ** 32) ^ (flags << 28);
  const texts = hash(row.subject, hash(row.recipients, hash(row.sender, hash(row.id, numbers >>> 0))));
  return row.tags === null ? texts : hash(row.tags, texts);
}

/** One by one: for texts as short as addresses and subjects an expression takes longer. */
function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}

/** Whether a row is what was written. A flipped bit may even change the type of a value. */
export const isAsWritten = (row: SummedRow): boolean =>
  typeof row.id === "string" &&
  typeof row.sender === "string" &&
  typeof row.recipients === "string" &&
  typeof row.subject === "string" &&
  (row.tags === null || typeof row.tags === "string") &&
  typeof row.is_read === "number" &&
  typeof row.is_starred === "number" &&
  typeof row.has_attachments === "number" &&
  typeof row.size === "number" &&
  typeof row.created === "number" &&
  row.sum === sumOf(row);

/** For the columns that are searched without regard to case; null where SQLite's own lower() will do. */
export const foldedUnlessAscii = (text: string): string | null => (isAscii(text) ? null : foldCase(text));

/** Of a record without its lists and texts; near enough to judge what a segment is worth. */
const LARGE_RECORD_BYTES = 170;

/** Bytes that a message takes up in its segment; of a large one, about as many. */
export const recordBytes = ({ body_at, size, sender, recipients }: MessageRow): number =>
  body_at > 0 ? body_at + size : LARGE_RECORD_BYTES + sender.length + recipients.length;

/** About how long it is to read. */
export const charsOf = ({ sender, recipients, subject }: MessageRow): number =>
  sender.length + recipients.length + subject.length;

export function changedRow(row: MessageRow, { is_read, is_starred, tags }: MessageChange): MessageRow {
  return {
    ...row,
    is_read: is_read === undefined ? row.is_read : Number(is_read),
    is_starred: is_starred === undefined ? row.is_starred : Number(is_starred),
    tags: tags === undefined ? row.tags : tags.length > 0 ? JSON.stringify(tags) : null,
  };
}

export const summaryOf = (row: MessageRow): MessageSummary =>
  summaryWith(row, JSON.parse(row.recipients), row.tags === null ? [] : JSON.parse(row.tags));

/** For who has the lists at hand: reading them again costs more than the rest. */
export function summaryWith(row: MessageRow, recipients: string[], tags: string[]): MessageSummary {
  return {
    id: row.id,
    sender: row.sender,
    recipients,
    subject: row.subject,
    size: row.size,
    has_attachments: row.has_attachments === 1,
    is_read: row.is_read === 1,
    is_starred: row.is_starred === 1,
    tags,
    created_at: isoTime(row.created),
  };
}
