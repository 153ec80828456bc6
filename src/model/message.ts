// The message shapes of the public interface. Clients compare them whole:
// they carry exactly these fields, in this order.
import { type Static, Type } from "@sinclair/typebox";

export const Ulid = Type.String({
  pattern: "^[0-7][0-9A-HJKMNP-TV-Z]{25}$",
  description: "ULID: sorts by time of arrival.",
  examples: ["01JCMZ5T0GQ3V4W5X6Y7Z8A9BC"],
});

const summaryFields = {
  id: Ulid,
  sender: Type.String({ description: "Envelope sender (MAIL FROM); empty for the null sender." }),
  recipients: Type.Array(Type.String(), { description: "Envelope recipients (RCPT TO), in order." }),
  subject: Type.String({ description: "Decoded subject; empty when there is none." }),
  size: Type.Integer({ minimum: 0, description: "Bytes of the raw message as stored." }),
  has_attachments: Type.Boolean(),
  is_read: Type.Boolean(),
  is_starred: Type.Boolean(),
  tags: Type.Array(Type.String()),
  created_at: Type.String({ format: "date-time", description: "Time of arrival, UTC." }),
};

export const MessageSummary = Type.Object(summaryFields, {
  $id: "MessageSummary",
  additionalProperties: false,
});
export type MessageSummary = Static<typeof MessageSummary>;

export const Message = Type.Object(
  {
    ...summaryFields,
    text_body: Type.String({
      description: "Decoded text part, or text derived from the HTML part.",
    }),
    html_body: Type.String({ description: "Decoded HTML part; empty when there is none." }),
  },
  { $id: "Message", additionalProperties: false },
);
export type Message = Static<typeof Message>;
