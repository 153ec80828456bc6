// Attachment metadata: every MIME leaf that is not a body part.
import { type Static, Type } from "@sinclair/typebox";
import { Ulid } from "./message.ts";

export const Attachment = Type.Object(
  {
    id: Ulid,
    message_id: Ulid,
    filename: Type.String(),
    content_type: Type.String(),
    size: Type.Integer({ minimum: 0, description: "Bytes after transfer decoding." }),
  },
  { $id: "Attachment", additionalProperties: false },
);
export type Attachment = Static<typeof Attachment>;
