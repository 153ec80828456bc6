// The request to send a mail, which Mailkeep composes from the given fields.
import { type Static, Type } from "@sinclair/typebox";
import { InboxName } from "./inbox.ts";
import { Ulid } from "./message.ts";
import { Closed, Named } from "./schema.ts";

const Address = Type.String({
  minLength: 1,
  maxLength: 1000,
  pattern: "^[^\\u0000-\\u001f\\u007f]+$",
  description: "an address such as ann@example.com or Ann <ann@example.com>",
});
const HeaderValue = Type.String({
  pattern: "^[^\\u0000-\\u0008\\u000a-\\u001f\\u007f]*$",
  description: "text without line breaks or other control characters",
});
/** The type or the subtype of a media type (RFC 6838 section 4.2). */
const TOKEN = "[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*";
const Addresses = Type.Array(Address, { maxItems: 1000 });

export const SendRequest = Named(
  "SendRequest",
  {
    from: Address,
    to: Type.Optional(Addresses),
    cc: Type.Optional(Addresses),
    bcc: Type.Optional(Addresses),
    inbox: Type.Optional(
      Type.String({
        ...InboxName,
        description:
          "the name of the inbox that the mail goes to, such as ci-42; without it the rules decide",
      }),
    ),
    subject: Type.Optional(Type.String()),
    text: Type.Optional(Type.String()),
    html: Type.Optional(Type.String()),
    headers: Type.Optional(
      Type.Record(Type.String({ pattern: "^[!-9;-~]+$" }), HeaderValue, {
        additionalProperties: false,
        propertyNames: { description: "ASCII letters, digits and signs without spaces and colons" },
        description:
          "an object with further fields of the header by name, such as Date and Message-ID. Fields that follow from the rest of the " +
          "request, such as To or Content-Type, are refused.",
      }),
    ),
    attachments: Type.Optional(
      Type.Array(
        Closed({
          filename: Type.String({ minLength: 1, description: "at least one character" }),
          content_type: Type.Optional(
            Type.String({
              pattern: `^(?![Mm][Uu][Ll][Tt][Ii][Pp][Aa][Rr][Tt]/)${TOKEN}/${TOKEN}(?:;[ -~]*)?$`,
              description: "a type such as text/plain, with parameters if need be, and not multipart",
            }),
          ),
          content_id: Type.Optional(
            Type.String({
              pattern: "^[!-;=?-~]+$",
              description: "what `cid:` in the HTML names, without angle brackets; the file is then inline",
            }),
          ),
          content: Type.String({
            pattern: "^[A-Za-z0-9+/\\r\\n]*={0,2}[\\r\\n]*$",
            contentEncoding: "base64",
            description: "bytes in base64",
          }),
        }),
        { maxItems: 100 },
      ),
    ),
  },
  {
    from: "Shop <shop@example.com>",
    to: ["alice@example.com"],
    subject: "Your order",
    text: "Thank you.",
    html: "<p>Thank you.</p>",
    headers: { "X-Order": "4711" },
    attachments: [{ filename: "invoice.txt", content_type: "text/plain", content: "VG90YWw6IDQyCg==" }],
  },
);
export type SendRequest = Static<typeof SendRequest>;

export const SentMessage = Named("SentMessage", { id: Ulid });
export type SentMessage = Static<typeof SentMessage>;
