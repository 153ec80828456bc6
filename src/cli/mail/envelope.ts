// Guesses the envelope that the mail in a file had, and reads the addresses in a header.
import type { Envelope } from "../../lib/smtp.ts";
import { type Field, readAddresses, readFields } from "../../mime/index.ts";

const MAX_ADDRESSES = 10_000;
/** Excludes characters that could end an SMTP command or its angle brackets. */
const IS_SAFE = /^[^\x00-\x1f\x7f<>]+$/;

/** The addresses in a list such as `Ann <a@x>, b@x, root` (a local user), one character for each octet. */
export const addressesIn = (list: string): string[] =>
  readAddresses(list, MAX_ADDRESSES, list.length)
    .map(({ address }) => address)
    .filter((address) => IS_SAFE.test(address));

/** The addresses of all fields with these names, in order, once each, with members of groups. */
export function addressesOf(fields: readonly Field[], ...names: readonly string[]): string[] {
  const found = fields.filter(({ key }) => names.includes(key)).flatMap(({ value }) => addressesIn(value));
  return [...new Set(found)];
}

/**
 * Given recipients win over the header. In the header, Return-Path and Delivered-To win: the delivering server took
 * them from the envelope.
 */
export function guessEnvelope(mail: Uint8Array, givenRecipients: readonly string[]): Envelope {
  const fields = readFields(mail);
  const isBounce = fields.some(({ key, value }) => key === "return-path" && value === "<>");
  const [sender = ""] = isBounce
    ? []
    : ["return-path", "from", "sender"].flatMap((name) => addressesOf(fields, name));
  const delivered = addressesOf(fields, "delivered-to");
  const listed = addressesOf(fields, "to", "cc", "bcc");
  const recipients = [givenRecipients, delivered, listed].find(({ length }) => length > 0) ?? [];
  return { sender, recipients };
}
