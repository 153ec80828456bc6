// What can be read out of one message beyond its bodies.
import { type Static, Type } from "@sinclair/typebox";
import { Attachment, EXAMPLE_ATTACHMENT } from "./attachment.ts";

const closed = { additionalProperties: false };

export const AttachmentList = Type.Object(
  { attachments: Type.Array(Attachment) },
  { $id: "AttachmentList", ...closed, examples: [{ attachments: [EXAMPLE_ATTACHMENT] }] },
);
export type AttachmentList = Static<typeof AttachmentList>;

const HeaderAddress = Type.Object(
  {
    name: Type.String({ description: "Display name, decoded; empty where there is none." }),
    address: Type.String({ examples: ["alice@example.com"] }),
  },
  closed,
);

export const MessageHeader = Type.Object(
  {
    name: Type.String({ description: "As written by the sender.", examples: ["Subject"] }),
    value: Type.String({ description: "Unfolded and decoded." }),
    addresses: Type.Optional(
      Type.Array(HeaderAddress, {
        description: "Only with `include=addresses`, of fields such as From, To and Cc.",
      }),
    ),
  },
  { $id: "MessageHeader", ...closed },
);
export type MessageHeader = Static<typeof MessageHeader>;

export const HeaderList = Type.Object(
  { headers: Type.Array(MessageHeader, { description: "In order, duplicates kept." }) },
  { $id: "HeaderList", ...closed, examples: [{ headers: [{ name: "Subject", value: "Your order" }] }] },
);
export type HeaderList = Static<typeof HeaderList>;

const LinkHint = Type.Union(
  ["unsubscribe", "verify", "reset-password", "sign-in", "view-online", "one-click"].map((hint) =>
    Type.Literal(hint),
  ),
);

export const MessageLink = Type.Object(
  {
    url: Type.String({ examples: ["https://example.com/verify?token=abc"] }),
    text: Type.String({ description: "The words of the link; empty where there are none." }),
    where: Type.Union([Type.Literal("html"), Type.Literal("text"), Type.Literal("headers")]),
    rel: Type.Array(Type.Unsafe<string>(LinkHint), { description: "What it seems to be for." }),
  },
  { $id: "MessageLink", ...closed },
);
export type MessageLink = Static<typeof MessageLink>;

export const LinkList = Type.Object(
  { links: Type.Array(MessageLink, { description: "Every link once, in order." }) },
  {
    $id: "LinkList",
    ...closed,
    examples: [
      {
        links: [
          { url: "https://example.com/verify?token=abc", text: "Confirm", where: "html", rel: ["verify"] },
        ],
      },
    ],
  },
);
export type LinkList = Static<typeof LinkList>;

export const MessageCode = Type.Object(
  {
    code: Type.String({
      description: "As one types it: without gaps and dashes.",
      examples: ["123456"],
    }),
    context: Type.String({ description: "The words around it." }),
    where: Type.Union([Type.Literal("subject"), Type.Literal("text"), Type.Literal("html")]),
  },
  { $id: "MessageCode", ...closed },
);
export type MessageCode = Static<typeof MessageCode>;

export const CodeList = Type.Object(
  { codes: Type.Array(MessageCode, { description: "One-time codes, best guess first." }) },
  {
    $id: "CodeList",
    ...closed,
    examples: [{ codes: [{ code: "482913", context: "Your code is 482913.", where: "text" }] }],
  },
);
export type CodeList = Static<typeof CodeList>;
