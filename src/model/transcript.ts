// The dialogue and the refusals of an SMTP session.
import { type Static, Type } from "@sinclair/typebox";
import { FAULT_STAGES } from "../lib/smtp.ts";
import { EXAMPLE_ID, Ulid } from "./message.ts";
import { Closed, Count, EXAMPLE_TIME, Named, OneOf, OrNull, Time } from "./schema.ts";

const TranscriptLine = Closed({
  at: Time,
  from: OneOf(["client", "server"]),
  text: Type.String({
    description: "As it was sent; in brackets what stands for something else, such as `(hidden)`.",
  }),
});

export const Transcript = Named(
  "Transcript",
  {
    client: Type.String({ description: "The IP address of the client." }),
    tls: OrNull(Closed({ version: Type.String(), cipher: Type.String() }), "`null` without TLS."),
    lines: Type.Array(TranscriptLine, {
      description: "The beginning of the session, then everything from the MAIL command on.",
    }),
  },
  {
    client: "127.0.0.1",
    tls: { version: "TLSv1.3", cipher: "TLS_AES_256_GCM_SHA384" },
    lines: [
      { at: EXAMPLE_TIME, from: "client", text: "RCPT TO:<ann@example.com>" },
      { at: EXAMPLE_TIME, from: "server", text: "250 2.1.5 Recipient ok" },
    ],
  },
);
export type Transcript = Static<typeof Transcript>;

export const Rejection = Named("Rejection", {
  id: Ulid,
  at: Time,
  stage: OneOf([...FAULT_STAGES, "command"], "`command` is any that the other words do not name."),
  reply: Type.String({
    description: "The reply to the client, which is the reason; in brackets who dropped the connection.",
  }),
  sender: Type.String({ description: "Of MAIL FROM; empty when there was none." }),
  recipients: Type.Array(Type.String(), {
    description: "The refused recipient at `rcpt`, otherwise those accepted so far.",
  }),
  client: Type.String({ description: "The IP address of the client." }),
});
export type Rejection = Static<typeof Rejection>;

export const RejectionList = Named(
  "RejectionList",
  {
    rejections: Type.Array(Rejection, { description: "Newest first." }),
    total: Count("How many are kept, 1,000 at the most."),
  },
  {
    rejections: [
      {
        id: EXAMPLE_ID,
        at: EXAMPLE_TIME,
        stage: "rcpt",
        reply: "450 4.2.2 Mailbox full",
        sender: "shop@example.com",
        recipients: ["ann@example.com"],
        client: "127.0.0.1",
      },
    ],
    total: 1,
  },
);
export type RejectionList = Static<typeof RejectionList>;
