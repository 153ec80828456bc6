// The attachments of a message: every leaf that is no part of the body. Nothing of them is stored;
// their ids follow from the message's id and the part's place.
import { ulidBeside } from "../lib/ulid.ts";
import type { Attachment } from "../model/index.ts";
import { attachmentName } from "./attachment-names.ts";
import { leavesOf, type MimePart, type MimeStructure } from "./structure.ts";

export interface AttachmentPart {
  readonly attachment: Attachment;
  readonly part: MimePart;
  /** Without angle brackets. */
  readonly contentId?: string;
}

const digest = Buffer.alloc(32);

/** A ULID with the message's time, its random part a digest: the same on every request and after every restart. */
function attachmentId(messageId: string, index: number): string {
  Bun.SHA256.hash(`${messageId}/${index}`, digest);
  return ulidBeside(messageId, digest);
}

export function listAttachments(messageId: string, structure: MimeStructure): AttachmentPart[] {
  return leavesOf(structure)
    .filter((part) => part.role === "attachment")
    .map((part, position) => ({
      attachment: {
        id: attachmentId(messageId, part.index),
        message_id: messageId,
        filename: attachmentName(part, position + 1),
        content_type: part.type,
        size: part.size,
      },
      part,
      ...(part.contentId === "" ? {} : { contentId: part.contentId }),
    }));
}
