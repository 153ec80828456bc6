// The people of a message: the addresses in its header, and those that are only in the envelope.
import type { MessageHeader, MessageSummary } from "../../model/index.ts";

type Address = NonNullable<MessageHeader["addresses"]>[number];

export interface PeopleLine {
  readonly label: string;
  readonly people: readonly Address[];
  /** For a line from the envelope: how it differs from the header. */
  readonly note?: string;
}

const SHOWN_FIELDS = ["From", "Sender", "Reply-To", "To", "Cc", "Bcc"];
const RECIPIENT_FIELDS = ["To", "Cc", "Bcc", "Resent-To", "Resent-Cc", "Resent-Bcc"];

export function describePeople(mail: MessageSummary, headers: readonly MessageHeader[]): PeopleLine[] {
  const of = (field: string) =>
    headers
      .filter(({ name }) => name.toLowerCase() === field.toLowerCase())
      .flatMap(({ addresses }) => addresses ?? []);
  const lines: PeopleLine[] = SHOWN_FIELDS.map((label) => ({ label, people: of(label) }));
  const named = new Set(RECIPIENT_FIELDS.flatMap(of).map(({ address }) => address.toLowerCase()));
  const hidden = mail.recipients.filter((address) => !named.has(address.toLowerCase()));
  const isBcc = lines.some(({ label, people }) => (label === "To" || label === "Cc") && people.length > 0);
  if (hidden.length > 0) {
    lines.push({
      label: isBcc ? "Bcc" : "Envelope to",
      people: hidden.map((address) => ({ name: "", address })),
      note: "only in the envelope",
    });
  }
  const isSenderNamed = of("From").some(({ address }) => address.toLowerCase() === mail.sender.toLowerCase());
  const hasFrom = of("From").length > 0;
  const envelopeFrom: PeopleLine = {
    label: "Envelope from",
    people: [{ name: "", address: mail.sender || "<> (null sender)" }],
    note: hasFrom ? "differs from From" : "no From in the header",
  };
  if (!hasFrom) lines.unshift(envelopeFrom);
  else if (!isSenderNamed) lines.push(envelopeFrom);
  return lines.filter(({ people }) => people.length > 0);
}
