export { type AttachmentPart, type DigestAlgorithm, digestOf, listAttachments } from "./body/attachments.ts";
export { readPreview } from "./body/preview.ts";
export { searchText } from "./body/search-text.ts";
export { wholeChars } from "./decode/charset.ts";
export { decodePart, type TransferEncoding } from "./decode/transfer.ts";
export { readAddresses } from "./header/addresses.ts";
export {
  type RawField as Field,
  readFields,
  readFieldText,
  readHeaders,
  readSubject,
} from "./header/fields.ts";
export { findBrokenWord } from "./header/text.ts";
export { forceColorScheme, type SanitizedHtml, sanitizeHtml } from "./html/sanitize.ts";
export { htmlToText } from "./html/text.ts";
export { findLinks, hintsFor } from "./insight/links.ts";
export {
  type BodyParser,
  createBodyParser,
  type Findings,
  type Outcome,
  PARSE_TASKS,
  type ParsedBodies,
  together,
  wholeIf,
} from "./pool/body-parser.ts";
export { serveTasks, TaskPool } from "./pool/task-pool.ts";
export {
  leavesOf,
  type MimePart,
  type MimeStructure,
  readStructure,
  startScan,
  startStructureScan,
} from "./structure.ts";
