// The six inbox events. A frame has exactly `type` and, where listed, `data`.
import { type Static, Type } from "@sinclair/typebox";
import { MessageSummary, Ulid } from "./message.ts";

const frame = { additionalProperties: false };

export const InboxEvent = Type.Union(
  [
    Type.Object({ type: Type.Literal("message:new"), data: MessageSummary }, frame),
    Type.Object({ type: Type.Literal("message:delete"), data: Type.Object({ id: Ulid }, frame) }, frame),
    Type.Object(
      {
        type: Type.Literal("message:read"),
        data: Type.Object({ id: Ulid, is_read: Type.Boolean() }, frame),
      },
      frame,
    ),
    Type.Object(
      {
        type: Type.Literal("message:starred"),
        data: Type.Object({ id: Ulid, is_starred: Type.Boolean() }, frame),
      },
      frame,
    ),
    Type.Object(
      {
        type: Type.Literal("message:tags"),
        data: Type.Object({ id: Ulid, tags: Type.Array(Type.String()) }, frame),
      },
      frame,
    ),
    Type.Object({ type: Type.Literal("messages:clear") }, frame),
  ],
  { $id: "InboxEvent" },
);
export type InboxEvent = Static<typeof InboxEvent>;
