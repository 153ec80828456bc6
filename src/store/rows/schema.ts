// The tables of the row index. A change here needs a higher version; then the next start rebuilds the file from the
// log.
import type { IndexSchema } from "../sqlite.ts";

/**
 * `seq` is the number of the message's record, which begins at `at` in the log's `segment`.
 * The raw bytes begin at `body_at` in the record; 0 means that they are stored elsewhere. `changed`
 * is the number of the last change record, or 0. `folded_*` hold the case-folded text only if
 * SQLite's ASCII lower() is not enough; `header_*` are always folded.
 */
const TABLES = `
CREATE TABLE message (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  inbox TEXT NOT NULL,
  created INTEGER NOT NULL,
  size INTEGER NOT NULL,
  segment INTEGER NOT NULL,
  at INTEGER NOT NULL,
  body_at INTEGER NOT NULL,
  changed INTEGER NOT NULL,
  is_read INTEGER NOT NULL,
  is_starred INTEGER NOT NULL,
  has_attachments INTEGER NOT NULL,
  sender TEXT NOT NULL,
  recipients TEXT NOT NULL,
  subject TEXT NOT NULL,
  header_from TEXT NOT NULL,
  header_to TEXT NOT NULL,
  tags TEXT,
  folded_sender TEXT,
  folded_recipients TEXT,
  folded_subject TEXT
) STRICT;
CREATE TABLE tag (tag TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (tag, seq)) STRICT, WITHOUT ROWID;
-- The value is JSON; seq is the number of the record that has set it.
CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT NOT NULL, seq INTEGER NOT NULL) STRICT, WITHOUT ROWID;
-- About how many bytes of a segment a compaction would free.
CREATE TABLE segment (number INTEGER PRIMARY KEY, dead_bytes INTEGER NOT NULL) STRICT;
CREATE TABLE state (applied INTEGER NOT NULL) STRICT;
INSERT INTO state VALUES (0);
`;

/** Indexes cover these columns, so a scan of all messages by time, size or flags reads few bytes of each. */
const FACTS = "seq, created, size, is_read, is_starred, has_attachments";
const INDEXES = `
CREATE INDEX message_facts ON message (${FACTS});
CREATE INDEX message_inbox ON message (inbox, ${FACTS});
CREATE INDEX message_starred ON message (seq) WHERE is_starred = 1;
CREATE INDEX message_unread ON message (seq) WHERE is_read = 0;
CREATE INDEX message_has_attachments ON message (seq) WHERE has_attachments = 1;
`;

export const ROWS_SCHEMA: IndexSchema = { version: 104, sql: TABLES + INDEXES };
