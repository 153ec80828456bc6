// Attachment metadata: every MIME leaf that is not a body part.
import { type Static, Type } from "@sinclair/typebox";
import { EXAMPLE_ID, Ulid } from "./message.ts";

export const EXAMPLE_ATTACHMENT = {
  id: "01JCMZ5T0GQ3V4W5X6Y7Z8A9BD",
  message_id: EXAMPLE_ID,
  filename: "order.csv",
  content_type: "text/csv",
  size: 12,
};

export const Attachment = Type.Object(
  {
    id: Ulid,
    message_id: Ulid,
    filename: Type.String(),
    content_type: Type.String(),
    size: Type.Integer({ minimum: 0, description: "Bytes after transfer decoding." }),
    sha256: Type.Optional(
      Type.String({ description: "Only with `include=sha256`: the digest of the decoded bytes, as hex." }),
    ),
  },
  { $id: "Attachment", additionalProperties: false, examples: [EXAMPLE_ATTACHMENT] },
);
export type Attachment = Static<typeof Attachment>;
