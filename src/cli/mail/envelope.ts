// The envelope that a stored mail most likely had, read from what the last server wrote into its header.
import { addressesOf, readHeaderFields } from "./header-fields.ts";
import type { Envelope } from "./smtp-delivery.ts";

/** An envelope that is known goes before the header, recipients given by the caller before both. */
export function guessEnvelope(
  mail: Uint8Array,
  givenRecipients: readonly string[],
  known?: Envelope,
): Envelope {
  const { sender, recipients } = known ?? envelopeInHeader(mail);
  return { sender, recipients: givenRecipients.length > 0 ? givenRecipients : recipients };
}

function envelopeInHeader(mail: Uint8Array): Envelope {
  const fields = readHeaderFields(mail);
  const isBounce = fields.some(({ name, value }) => name === "return-path" && value === "<>");
  const [sender = ""] = isBounce
    ? []
    : ["return-path", "from", "sender"].flatMap((name) => addressesOf(fields, name));
  const delivered = addressesOf(fields, "delivered-to");
  const listed = addressesOf(fields, "to", "cc", "bcc");
  return { sender, recipients: delivered.length > 0 ? delivered : listed };
}
