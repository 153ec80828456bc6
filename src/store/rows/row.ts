// A row of the index, and how it becomes the summary that clients get.
import { isAscii } from "../../lib/runtime.ts";
import { isoTime } from "../../lib/time.ts";
import type { MessageSummary } from "../../model/index.ts";
import { foldCase } from "../../query/index.ts";
import type { MessageRecord, StoredMessage } from "../log/log.ts";

export interface MessageRow extends StoredMessage {
  readonly inbox: string;
  readonly created: number;
  readonly changed: number;
  readonly is_read: number;
  readonly is_starred: number;
  readonly has_attachments: number;
  readonly sender: string;
  readonly recipients: string;
  readonly subject: string;
  /** A JSON array; null without tags. */
  readonly tags: string | null;
}

/** In a damaged file a text may be missing or not JSON. Then json() fails and reveals this. */
export const ROW_COLUMNS =
  "seq, id, inbox, created, size, segment, at, body_at, changed, is_read, is_starred, has_attachments, sender, json(coalesce(recipients, '')) AS recipients, subject, json(tags) AS tags";

/** For columns that are compared without case. Null if SQLite's lower(), which knows only ASCII, is enough. */
export const foldedUnlessAscii = (text: string): string | null => (isAscii(text) ? null : foldCase(text));

export const folded = (text: string): string => foldedUnlessAscii(text) ?? text.toLowerCase();

export const tagList = (tags: readonly string[]): string | null =>
  tags.length > 0 ? JSON.stringify(tags) : null;

export const tagsOf = ({ tags }: Pick<MessageRow, "tags">): string[] =>
  tags === null ? [] : JSON.parse(tags);

export const summaryOf = (row: MessageRow): MessageSummary => ({
  id: row.id,
  sender: row.sender,
  recipients: JSON.parse(row.recipients),
  subject: row.subject,
  size: row.size,
  has_attachments: row.has_attachments === 1,
  is_read: row.is_read === 1,
  is_starred: row.is_starred === 1,
  tags: tagsOf(row),
  created_at: isoTime(row.created),
});

export const summaryOfRecord = (record: MessageRecord): MessageSummary => ({
  id: record.id,
  sender: record.sender,
  recipients: [...record.recipients],
  subject: record.subject,
  size: record.size,
  has_attachments: record.has_attachments,
  is_read: false,
  is_starred: false,
  tags: [...record.tags],
  created_at: isoTime(record.time),
});
