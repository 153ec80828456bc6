// Rows of messages that lie in a log which is not there: for tests of what is handed over, not of what is read.
import type { Bodies } from "../../src/store/log/log.ts";
import type { MessageRow } from "../../src/store/rows/row.ts";

export const bodies = {
  source: ({ segment, at, body_at, size }: MessageRow) =>
    body_at === 0 ? { path: "large", at: 0, size } : { path: `segment ${segment}`, at: at + body_at, size },
} as Bodies;

export const record = (
  seq: number,
  at: number,
  size: number,
  rest: Partial<MessageRow> = {},
): MessageRow => ({
  seq,
  id: String(seq),
  created: 0,
  size,
  segment: 1,
  at,
  body_at: 10,
  is_read: 0,
  is_starred: 0,
  has_attachments: 0,
  sender: "a@example.com",
  recipients: "[]",
  subject: "",
  tags: null,
  ...rest,
});
