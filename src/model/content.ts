// What can be read out of one message beyond its bodies.
import { type Static, Type } from "@sinclair/typebox";
import { Attachment } from "./attachment.ts";

const closed = { additionalProperties: false };

export const AttachmentList = Type.Object(
  { attachments: Type.Array(Attachment) },
  { $id: "AttachmentList", ...closed },
);
export type AttachmentList = Static<typeof AttachmentList>;

export const MessageHeader = Type.Object(
  {
    name: Type.String({ description: "As written by the sender.", examples: ["Subject"] }),
    value: Type.String({ description: "Unfolded and decoded." }),
  },
  { $id: "MessageHeader", ...closed },
);
export type MessageHeader = Static<typeof MessageHeader>;

export const HeaderList = Type.Object(
  { headers: Type.Array(MessageHeader, { description: "In order, duplicates kept." }) },
  { $id: "HeaderList", ...closed },
);
export type HeaderList = Static<typeof HeaderList>;
