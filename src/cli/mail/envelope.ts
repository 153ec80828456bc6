// The envelope that a stored mail most likely had, read from what the last server wrote into its header.
import { addressesOf, readHeaderFields } from "./header-fields.ts";
import type { Envelope } from "./smtp-delivery.ts";

/** Recipients given by the caller replace those of the header. */
export function guessEnvelope(mail: Uint8Array, givenRecipients: readonly string[]): Envelope {
  const fields = readHeaderFields(mail);
  const isBounce = fields.some(({ name, value }) => name === "return-path" && value === "<>");
  const [sender = ""] = isBounce
    ? []
    : ["return-path", "from", "sender"].flatMap((name) => addressesOf(fields, name));
  if (givenRecipients.length > 0) return { sender, recipients: givenRecipients };
  const delivered = addressesOf(fields, "delivered-to");
  const listed = addressesOf(fields, "to", "cc", "bcc");
  return { sender, recipients: delivered.length > 0 ? delivered : listed };
}
