export type { Address } from "./addresses.ts";
export { type AttachmentPart, listAttachments } from "./attachments.ts";
export { type Header, readHeaders } from "./headers.ts";
export { deriveText } from "./html-text.ts";
export { type MessageScan, startScan } from "./message-scan.ts";
export type { TransferEncoding } from "./part-headers.ts";
export type { WalkLimit } from "./part-walker.ts";
export { type MessagePreview, readPreview } from "./preview.ts";
export { searchText } from "./search-text.ts";
export {
  type MimePart,
  type MimeStructure,
  readStructure,
  type StructureScan,
  startStructureScan,
} from "./structure.ts";
export { decodePart } from "./transfer-decoding.ts";
