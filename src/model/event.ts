// The six inbox events.
import { type Static, type TProperties, Type } from "@sinclair/typebox";
import { EXAMPLE_ID, EXAMPLE_SUMMARY, MessageSummary, Ulid } from "./message.ts";
import { Closed, Int64 } from "./schema.ts";

const seq = Type.Optional(Int64({ description: "Number of the event; only with `resume=true` or `since`." }));

const frame = <const Name extends string, Fields extends TProperties>(type: Name, fields: Fields) =>
  Closed({ type: Type.Literal(type), ...fields, seq });

const change = <Fields extends TProperties>(fields: Fields) => ({
  data: Closed({ id: Ulid, ...fields }),
});

export const InboxEvent = Type.Union(
  [
    frame("message:new", { data: MessageSummary }),
    frame("message:delete", change({})),
    frame("message:read", change({ is_read: Type.Boolean() })),
    frame("message:starred", change({ is_starred: Type.Boolean() })),
    frame("message:tags", change({ tags: Type.Array(Type.String()) })),
    frame("messages:clear", {}),
  ],
  {
    $id: "InboxEvent",
    examples: [
      { type: "message:new", data: EXAMPLE_SUMMARY },
      { type: "message:read", data: { id: EXAMPLE_ID, is_read: true } },
      { type: "messages:clear" },
    ],
  },
);
export type InboxEvent = Static<typeof InboxEvent>;
