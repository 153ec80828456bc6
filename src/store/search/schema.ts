// The tables of the text index: ordinary texts, long ones in pieces, and what is known of both.
import type { DerivedSchema } from "../derived-db.ts";
import { ROWS_PER_MESSAGE } from "./long-texts.ts";
import { textIndexFault } from "./text-check.ts";

const SEARCH_VERSION = 19;
/** Text comes folded. Marks that are left (vowels of Thai, of Hindi) belong to their word. */
const OPTIONS = `content = '', contentless_delete = 1,
  tokenize = "unicode61 remove_diacritics 0 categories 'L* N* Co Mn Mc'"`;
export const textTable = (name: string): string =>
  `CREATE VIRTUAL TABLE ${name} USING fts5 (subject, body, sender, recipients, ${OPTIONS});`;
const SEARCH_TABLES = `
${textTable("mail")}
${textTable("long")}
CREATE TABLE state (indexed_seq INTEGER NOT NULL, cleared_seq INTEGER NOT NULL);
INSERT INTO state VALUES (0, 0);
-- Messages up to indexed_seq without all of their text.
CREATE TABLE unfinished (seq INTEGER PRIMARY KEY);
`;
export const SEARCH_SCHEMA: DerivedSchema = {
  version: SEARCH_VERSION,
  sql: SEARCH_TABLES,
  shrinks: true,
  fault: textIndexFault,
};
export const HELD_SHORT = "SELECT count(*) FROM mail_docsize";
export const HELD_LONG = `SELECT count(DISTINCT id / ${ROWS_PER_MESSAGE}) FROM long_docsize
  WHERE id / ${ROWS_PER_MESSAGE} NOT IN unfinished`;
export const HELD_OF = `SELECT count(*) FROM json_each(?) WHERE value IN (SELECT id FROM mail_docsize)
  OR (value NOT IN unfinished AND EXISTS (SELECT 1 FROM long_docsize
    WHERE id >= value * ${ROWS_PER_MESSAGE} AND id < (value + 1) * ${ROWS_PER_MESSAGE}))`;
/** The seqs of all messages that are held, and of those that are to be. */
export const HELD_SEQS = `SELECT id FROM mail_docsize UNION SELECT id / ${ROWS_PER_MESSAGE} FROM long_docsize
  UNION SELECT seq FROM unfinished`;
