// One mail transaction, from MAIL to the end of its message (RFC 5321 section 3.3).
import { type BodyType, checkRecipientParameters, parseMailParameters } from "./parameters.ts";
import { matchEnd, parsePath } from "./path.ts";
import type { Reply } from "./replies.ts";
import * as replies from "./replies.ts";

const FROM = /FROM[ \t]*:/iy;
const TO = /TO[ \t]*:/iy;

export class Mail {
  readonly sender: string;
  readonly body: BodyType;
  readonly recipients: string[] = [];
  #excessRecipients = 0;
  /** Whether message bytes have begun to come, by DATA or BDAT. */
  begun = false;
  /** Message bytes so far. */
  bytes = 0;
  tooBig = false;

  constructor(sender: string, body: BodyType) {
    this.sender = sender;
    this.body = body;
  }

  addRecipient(address: string, maxRecipients: number): Reply {
    if (this.recipients.length < maxRecipients) {
      this.recipients.push(address);
      return replies.RECIPIENT_OK;
    }
    this.#excessRecipients++;
    return this.#excessRecipients > maxRecipients
      ? replies.FAR_TOO_MANY_RECIPIENTS
      : replies.TOO_MANY_RECIPIENTS;
  }
}

/** The mail that `MAIL FROM:…` opens, or what is wrong with the command. */
export function parseMail(args: string, maxMessageBytes: number): Mail | Reply {
  const start = args.startsWith("FROM:") ? "FROM:".length : matchEnd(FROM, args, 0);
  if (start === -1) return replies.MAIL_SYNTAX;
  const path = parsePath(args.slice(start));
  if (!path.ok) return replies.badSender(path.reason);
  const parameters = parseMailParameters(path.rest);
  if ("wire" in parameters) return parameters;
  if (parameters.size > maxMessageBytes) return replies.MESSAGE_TOO_BIG;
  return new Mail(path.address, parameters.body);
}

/** The address of `RCPT TO:…`, or what is wrong with the command. */
export function parseRecipient(args: string): string | Reply {
  const start = args.startsWith("TO:") ? "TO:".length : matchEnd(TO, args, 0);
  if (start === -1) return replies.RCPT_SYNTAX;
  const path = parsePath(args.slice(start));
  if (!path.ok) return replies.badRecipient(path.reason);
  if (path.address === "") return replies.badRecipient("it is empty");
  return checkRecipientParameters(path.rest) ?? path.address;
}
