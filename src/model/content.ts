// Attachments, headers, authentication results, links and codes of a message.
import { type Static, Type } from "@sinclair/typebox";
import { Ulid } from "./message.ts";
import { Closed, Count, Named, OneOf } from "./schema.ts";

export const Attachment = Named("Attachment", {
  id: Ulid,
  message_id: Ulid,
  filename: Type.String(),
  content_type: Type.String(),
  size: Count("Bytes after transfer decoding."),
  sha256: Type.Optional(
    Type.String({ description: "Only with `include=sha256`: the digest of the decoded bytes, as hex." }),
  ),
});
export type Attachment = Static<typeof Attachment>;

export const AttachmentList = Named("AttachmentList", { attachments: Type.Array(Attachment) });
export type AttachmentList = Static<typeof AttachmentList>;

const HeaderAddress = Closed({
  name: Type.String({ description: "Display name, decoded; empty where there is none." }),
  address: Type.String({ examples: ["alice@example.com"] }),
});

export const MessageHeader = Named("MessageHeader", {
  name: Type.String({ description: "As written by the sender.", examples: ["Subject"] }),
  value: Type.String({ description: "Unfolded and decoded." }),
  addresses: Type.Optional(
    Type.Array(HeaderAddress, {
      description: "Only with `include=addresses`, of fields such as From, To and Cc.",
    }),
  ),
});
export type MessageHeader = Static<typeof MessageHeader>;

export const HeaderList = Named("HeaderList", {
  headers: Type.Array(MessageHeader, { description: "In order, duplicates kept." }),
});
export type HeaderList = Static<typeof HeaderList>;

const AuthResult = Named("AuthResult", {
  status: Type.String({ description: "Result token in lower case, or `info`." }),
  details: Type.String({ description: "The parsed header text." }),
});

/** Results that upstream servers recorded. Nothing is verified here. */
export const AuthResults = Named("AuthResults", {
  dkim: Type.Array(AuthResult),
  spf: Type.Array(AuthResult),
  dmarc: Type.Array(AuthResult),
  arc: Type.Array(AuthResult),
});
export type AuthResults = Static<typeof AuthResults>;

const LinkHint = OneOf(["unsubscribe", "verify", "reset-password", "sign-in", "view-online", "one-click"]);
export type LinkHint = Static<typeof LinkHint>;

export const MessageLink = Named("MessageLink", {
  url: Type.String({ examples: ["https://example.com/verify?token=abc"] }),
  text: Type.String({ description: "The words of the link; empty where there are none." }),
  where: OneOf(["html", "text", "headers"]),
  rel: Type.Array(LinkHint, { description: "What it seems to be for." }),
});
export type MessageLink = Static<typeof MessageLink>;

export const LinkList = Named("LinkList", {
  links: Type.Array(MessageLink, { description: "Every link once, in order." }),
});
export type LinkList = Static<typeof LinkList>;

export const MessageCode = Named("MessageCode", {
  code: Type.String({
    description:
      "As one types it: without gaps and dashes. Codes of words, such as `sparo-golop-fifi-sevin`, keep their dashes.",
    examples: ["123456"],
  }),
  context: Type.String({ description: "The words around it." }),
  where: OneOf(["subject", "text", "html"]),
});
export type MessageCode = Static<typeof MessageCode>;

export const CodeList = Named("CodeList", {
  codes: Type.Array(MessageCode, { description: "One-time codes, best guess first." }),
});
export type CodeList = Static<typeof CodeList>;
