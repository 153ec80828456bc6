// The tables of the row index. It is derived from the log: a change here raises ROWS_VERSION,
// and the next start rebuilds the file instead of migrating it.
import type { DerivedSchema } from "../derived-db.ts";
import { LONG_ROW_CHARS } from "./long-rows.ts";
import { FIRST_STATE, sumOfState } from "./state.ts";

const ROWS_VERSION = 22;

/** One partial index for each combination of the three flags, so that every flag filter is a walk of its own index. */
const FLAG_INDEXES: Readonly<Record<string, string>> = {
  starred: "is_starred = 1",
  unread: "is_read = 0",
  has_attachments: "has_attachments = 1",
  starred_unread: "is_starred = 1 AND is_read = 0",
  starred_has_attachments: "is_starred = 1 AND has_attachments = 1",
  unread_has_attachments: "is_read = 0 AND has_attachments = 1",
  starred_unread_has_attachments: "is_starred = 1 AND is_read = 0 AND has_attachments = 1",
};

/**
 * `seq` counts messages in log order and never repeats. `segment`, `at` and `body_at` say where the
 * record lies and where in it the raw bytes begin; body_at 0 means a file of its own.
 * `chars` is the length of sender, recipients and subject together.
 * A row in `segment` is a sealed segment, or (size 0) the active one with dead records in it.
 * `folded_*` hold the case-folded text only where SQLite's ASCII lower() would not do.
 * `sum` is the checksum of what clients are shown: SQLite has none, and a changed byte would be served as truth.
 */
const TABLES = `
CREATE TABLE message (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  created INTEGER NOT NULL,
  size INTEGER NOT NULL,
  segment INTEGER NOT NULL,
  at INTEGER NOT NULL,
  body_at INTEGER NOT NULL,
  chars INTEGER NOT NULL,
  is_read INTEGER NOT NULL,
  is_starred INTEGER NOT NULL,
  has_attachments INTEGER NOT NULL,
  sender TEXT NOT NULL,
  recipients TEXT NOT NULL,
  subject TEXT NOT NULL,
  tags TEXT,
  folded_sender TEXT,
  folded_recipients TEXT,
  folded_subject TEXT,
  sum INTEGER NOT NULL
) STRICT;
CREATE TABLE tag (tag TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (tag, seq)) STRICT, WITHOUT ROWID;
CREATE TABLE segment (
  number INTEGER PRIMARY KEY,
  generation INTEGER NOT NULL,
  size INTEGER NOT NULL,
  dead_bytes INTEGER NOT NULL
) STRICT;
-- Missing or cut short at a start; left_bytes of whole_bytes of the file were there.
CREATE TABLE lacking (
  number INTEGER PRIMARY KEY,
  newest INTEGER NOT NULL,
  left_bytes INTEGER NOT NULL,
  whole_bytes INTEGER NOT NULL
) STRICT;
-- Removed, but perhaps still in the text index.
CREATE TABLE unsearched_delete (seq INTEGER PRIMARY KEY) STRICT;
-- Ids of large messages that were taken out for want of their file: should it come back, so do they.
CREATE TABLE lost_body (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE state (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  segment INTEGER NOT NULL,
  at INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  last_id TEXT NOT NULL,
  cleared_seq INTEGER NOT NULL,
  last_change INTEGER NOT NULL,
  messages INTEGER NOT NULL,
  unread INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  sum INTEGER NOT NULL
) STRICT;
INSERT INTO state VALUES (1, 0, 0, 0, '', 0, 0, 0, 0, 0, ${sumOfState(FIRST_STATE)});
`;

/** Of every partial index, by its name behind `message_`. */
export const INDEX_CONDITIONS: Readonly<Record<string, string>> = {
  large: "body_at = 0",
  long: `chars > ${LONG_ROW_CHARS}`,
  ...FLAG_INDEXES,
};

const INDEXES = Object.entries(INDEX_CONDITIONS)
  .map(([name, condition]) => `CREATE INDEX message_${name} ON message (seq) WHERE ${condition};`)
  .join("\n");

export const ROWS_SCHEMA: DerivedSchema = { version: ROWS_VERSION, sql: TABLES + INDEXES };
