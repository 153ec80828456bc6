// The dialogue and the refusals of an SMTP session.
import { type Static, Type } from "@sinclair/typebox";
import { FAULT_STAGES } from "../lib/smtp.ts";
import { Ulid } from "./message.ts";
import { Closed, Count, Named, OneOf, OrNull, Time } from "./schema.ts";

const TranscriptLine = Closed({
  at: Time,
  from: OneOf(["client", "server"]),
  text: Type.String({
    description: "As it was sent; in brackets what stands for something else, such as `(hidden)`.",
  }),
});

export const Transcript = Named("Transcript", {
  client: Type.String({ description: "The IP address of the client." }),
  tls: OrNull(Closed({ version: Type.String(), cipher: Type.String() }), "`null` without TLS."),
  lines: Type.Array(TranscriptLine, {
    description: "The beginning of the session, then everything from the MAIL command on.",
  }),
});
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

export const RejectionList = Named("RejectionList", {
  rejections: Type.Array(Rejection, { description: "Newest first." }),
  total: Count("How many are kept, 1,000 at the most."),
});
export type RejectionList = Static<typeof RejectionList>;
