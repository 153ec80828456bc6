// The messages of the API, and the events about them. The order of the fields must stay, because clients may compare
// whole messages as text.
import { type Static, type TProperties, Type } from "@sinclair/typebox";
import { Closed, Count, EXAMPLE_TIME, Int64, Named } from "./schema.ts";

export const EXAMPLE_ID = "01JCMZ5T0GQ3V4W5X6Y7Z8A9BC";

export const Ulid = Type.String({
  pattern: "^[0-7][0-9A-HJKMNP-TV-Z]{25}$",
  description: "ULID: sorts by time of arrival.",
  examples: [EXAMPLE_ID],
});

export const MessagePreview = Named("MessagePreview", {
  from_name: Type.String({ description: "Display name of the From header; empty when it has none." }),
  from_address: Type.String({ description: "Address of the From header; empty when it has none." }),
  snippet: Type.String({ description: "The first words of the text, on one line." }),
  run: Type.String({
    description: "The test run it belongs to: the header `X-Mailkeep-Run`; empty when it has none.",
  }),
});
export type MessagePreview = Static<typeof MessagePreview>;

const summaryFields = {
  id: Ulid,
  sender: Type.String({ description: "Envelope sender (MAIL FROM); empty for the null sender." }),
  recipients: Type.Array(Type.String(), { description: "Envelope recipients (RCPT TO), in order." }),
  subject: Type.String({ description: "Decoded subject; empty when there is none." }),
  size: Count("Bytes of the raw message as stored."),
  has_attachments: Type.Boolean({ description: "Inline images count too." }),
  is_read: Type.Boolean(),
  is_starred: Type.Boolean(),
  tags: Type.Array(Type.String()),
  created_at: Type.String({ format: "date-time", description: "Time of arrival, UTC." }),
};

const preview = Type.Optional(MessagePreview);

export const EXAMPLE_SUMMARY = {
  id: EXAMPLE_ID,
  sender: "shop@example.com",
  recipients: ["alice@example.com"],
  subject: "Your order",
  size: 2048,
  has_attachments: false,
  is_read: false,
  is_starred: false,
  tags: ["checkout"],
  created_at: EXAMPLE_TIME,
};

export const MessageSummary = Named("MessageSummary", { ...summaryFields, preview }, EXAMPLE_SUMMARY);
export type MessageSummary = Static<typeof MessageSummary>;

export const Message = Named(
  "Message",
  {
    ...summaryFields,
    text_body: Type.String({ description: "Decoded text part, or text derived from the HTML part." }),
    html_body: Type.String({ description: "Decoded HTML part; empty when there is none." }),
    preview,
  },
  { ...EXAMPLE_SUMMARY, text_body: "Thank you.\n", html_body: "<p>Thank you.</p>\n" },
);
export type Message = Static<typeof Message>;

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
