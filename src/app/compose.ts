// Composes a mail from the fields of a request. Uses nodemailer, as many applications do.
import { type Envelope, MAX_PATH_BYTES, parsePath } from "../lib/smtp.ts";
import type { SendRequest } from "../model/index.ts";
import { FieldError } from "./field-error.ts";

export interface ComposedMail {
  readonly envelope: Envelope;
  readonly bytes: Uint8Array;
}

/** Throws a FieldError if the request cannot be sent. Recipients in bcc are only in the envelope. */
export async function composeRequest(
  { from, to = [], cc = [], bcc = [], attachments = [], headers = {}, ...fields }: SendRequest,
  maxRecipients = Number.POSITIVE_INFINITY,
): Promise<ComposedMail> {
  const sender = mailboxIn(from, "from");
  const visible = { to: mailboxesIn(to, "to"), cc: mailboxesIn(cc, "cc") };
  const recipients = [...visible.to, ...visible.cc, ...mailboxesIn(bcc, "bcc")];
  if (recipients.length === 0) {
    throw new FieldError("to", "must name a recipient, unless cc or bcc does");
  }
  if (recipients.length > maxRecipients) {
    throw new FieldError("to", `has more than ${maxRecipients} recipients together with cc and bcc`);
  }
  for (const name of Object.keys(headers)) refuseComposed(name);
  // Loaded on first use, to keep the start fast.
  const { default: MailComposer } = await import("nodemailer/lib/mail-composer");
  const mail = new MailComposer({
    ...fields,
    ...visible,
    from: sender,
    headers: Object.entries(headers).map(([key, value]) => ({ key, value })),
    attachments: attachments.map(({ filename, content_type, content_id, content }) => ({
      filename,
      content: Buffer.from(content, "base64"),
      ...(content_type !== undefined && { contentType: content_type }),
      ...(content_id !== undefined && { cid: content_id, contentDisposition: "inline" as const }),
    })),
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
  // The composer's own envelope would have domains in Punycode, unlike mail that came by SMTP.
  const addresses = [...new Set(recipients.map(({ address }) => address))];
  return { envelope: { sender: sender.address, recipients: addresses }, bytes: await mail.build() };
}

/** Refused in `headers`: the composer writes these fields, and a second one breaks the mail. */
const COMPOSED = ["from", "to", "cc", "bcc", "subject"];
const OF_BODY = ["content-type", "content-transfer-encoding", "content-disposition", "mime-version"];

function refuseComposed(name: string): void {
  const lower = name.toLowerCase();
  if (COMPOSED.includes(lower)) {
    throw new FieldError(`headers.${name}`, `cannot be given here: use the field ${lower}`);
  }
  if (OF_BODY.includes(lower)) {
    throw new FieldError(`headers.${name}`, "cannot be given: it follows from text, html and attachments");
  }
}

interface NamedMailbox {
  readonly name: string;
  readonly address: string;
}

/** A display name, perhaps in quotes, and an address in angle brackets. */
const NAMED = /^(?:"((?:[^"\\]|\\.)*)"|([^"<>@,;:]*))\s*<([^<>]*)>$/s;
const MAX_SHOWN = 100;

const mailboxesIn = (texts: readonly string[], field: string) =>
  texts.map((text, index) => mailboxIn(text, `${field}.${index}`));

/** Reads `address` or `Name <address>`, and checks the address as SMTP does. */
function mailboxIn(text: string, field: string): NamedMailbox {
  const given = text.trim();
  const [, quoted, plain = "", address = given] = NAMED.exec(given) ?? [];
  const path = parsePath(`<${address}>`);
  // SMTP accepts `@relay:ann@x.test` and `postmaster` without a domain. Both are refused here.
  if (path.ok && path.address === address && address.includes("@")) {
    return { name: quoted?.replace(/\\(.)/gs, "$1") ?? plain.trim(), address };
  }
  const shown = given.length > MAX_SHOWN ? `${given.slice(0, MAX_SHOWN)}…` : given;
  throw new FieldError(
    field,
    `cannot be ${JSON.stringify(shown.toWellFormed())}: it must be one address such as ann@example.com or ` +
      `Ann <ann@example.com>, of at most ${MAX_PATH_BYTES} octets`,
  );
}
