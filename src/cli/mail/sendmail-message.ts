// What sendmail makes of its standard input: network line ends, no hidden recipients, an envelope.
import { addressesOf, type HeaderField, headerStart, readHeaderFields } from "./header-fields.ts";
import type { SendmailArguments } from "./sendmail-arguments.ts";
import type { Envelope } from "./smtp-delivery.ts";

/** Bare LF becomes CRLF; without -i the first line that is a single dot ends the mail. */
export function normalizeInput(input: Uint8Array, ignoresDots: boolean): Buffer {
  const text = Buffer.from(input).toString("latin1");
  const [dotLine] = ignoresDots ? [] : [/(?:^|\n)\.\r?(?:\n|$)/.exec(text)];
  const kept = dotLine ? text.slice(0, dotLine.index + (dotLine[0].startsWith("\n") ? 1 : 0)) : text;
  return Buffer.from(kept.replace(/\r?\n/g, "\r\n"), "latin1");
}

export interface OutgoingMail {
  readonly envelope: Envelope;
  readonly bytes: Buffer;
}

const RECIPIENTS = ["to", "cc", "bcc"];
const RESENT_RECIPIENTS = RECIPIENTS.map((name) => `resent-${name}`);
const HIDDEN = ["bcc", "resent-bcc"];

/** A mail that somebody passes on goes to those it is passed on to, not once more to those it was for. */
function recipientsIn(fields: readonly HeaderField[]): string[] {
  const resentTo = addressesOf(fields, ...RESENT_RECIPIENTS);
  return resentTo.length > 0 ? resentTo : addressesOf(fields, ...RECIPIENTS);
}

/** `fallbackSender` is used when neither -f nor the header names one. */
export function composeMail(
  input: Uint8Array,
  { readsRecipients, ignoresDots, sender, fullName, recipients }: SendmailArguments,
  fallbackSender: string,
): OutgoingMail {
  const mail = normalizeInput(input, ignoresDots);
  const fields = readHeaderFields(mail);
  const [author] = addressesOf(fields, "from");
  const [submitter] = addressesOf(fields, "sender");
  const from = sender ?? submitter ?? author ?? fallbackSender;
  const listed = readsRecipients ? recipientsIn(fields) : [];
  const hidden = readsRecipients ? fields.filter(({ name }) => HIDDEN.includes(name)) : [];
  const pieces: Buffer[] = [];
  const first = headerStart(mail);
  let at = first;
  for (const { start, end } of hidden) {
    pieces.push(mail.subarray(at, start));
    at = end;
  }
  pieces.push(mail.subarray(at));
  const addsFrom = fullName !== null && author === undefined;
  const name = fullName?.replace(/["\\\r\n]/g, "");
  // A mail that is all text needs the empty line that it did without.
  const end =
    fields.length === 0 && !/^\r?\n/.test(mail.toString("latin1", first, first + 2)) ? "\r\n\r\n" : "\r\n";
  const head = addsFrom ? [Buffer.from(`From: "${name}" <${from}>${end}`)] : [];
  return {
    envelope: { sender: from, recipients: [...new Set([...recipients, ...listed])] },
    bytes: Buffer.concat([mail.subarray(0, first), ...head, ...pieces]),
  };
}
