export { type AttachmentPart, listAttachments } from "./attachments.ts";
export type { Bodies } from "./bodies.ts";
export { type BodyParser, createBodyParser, type MessageSource, type ParsedBodies } from "./body-parser.ts";
export { type Code, findCodes } from "./codes/codes.ts";
export { type Findings, type Outcome, together, wholeIf } from "./findings.ts";
export { type Address, readAddresses } from "./header/addresses.ts";
export { readAuthResults } from "./header/auth-results.ts";
export type { RawField as Field } from "./header/header-block.ts";
export { type Header, readFields, readHeaders } from "./header/headers.ts";
export { isSubjectWhole } from "./header/subject.ts";
export { type ColorScheme, forceColorScheme } from "./html/color-scheme.ts";
export { deriveText } from "./html/html-text.ts";
export { type SanitizedHtml, sanitizeHtml } from "./html/sanitize-html.ts";
export type { LinkHint } from "./link-hints.ts";
export { findLinks, type Link } from "./links.ts";
export { type MessageScan, startScan } from "./message-scan.ts";
export type { TransferEncoding } from "./part-headers.ts";
export type { WalkLimit } from "./part-walker.ts";
export { type MessagePreview, readPreview } from "./preview.ts";
export { searchTextInSlices } from "./search-slices.ts";
export { searchText } from "./search-text.ts";
export {
  type MimePart,
  type MimeStructure,
  readStructure,
  type StructureScan,
  startStructureScan,
} from "./structure.ts";
export { answerTask, localTasks, type TaskRequest, type Tasks } from "./tasks.ts";
export { decodePart } from "./transfer-decoding.ts";
