// One mail transaction, from MAIL to the end of its message (RFC 5321 section 3.3), and the commands that make it.
import { matchEnd, parsePath } from "../../lib/smtp.ts";
import {
  type BodyType,
  type MailParameters,
  type NotificationRequest,
  parseMailParameters,
  parseRecipientParameters,
} from "./parameters.ts";
import type { Reply } from "./replies.ts";
import * as replies from "./replies.ts";

const FROM = /FROM[ \t]*:/iy;
const TO = /TO[ \t]*:/iy;

/** Limits the characters of all recipients together, because every list shows them. A single recipient always fits. */
const maxRecipientChars = (maxRecipients: number) => 512 + 64 * maxRecipients;

export class Mail {
  readonly sender: string;
  readonly body: BodyType;
  readonly receivedAt: number | null;
  readonly envid: string | null;
  readonly returnsWhole: boolean;
  readonly recipients: string[] = [];
  /** Only for recipients with parameters of RFC 3461. */
  readonly notifications = new Map<string, NotificationRequest>();
  #recipientChars = 0;
  #excessRecipients = 0;
  /** Whether message bytes have begun to come, by DATA or BDAT. */
  begun = false;
  /** Message bytes so far. */
  bytes = 0;
  tooBig = false;

  constructor(sender: string, { body, receivedAt, envid, returnsWhole }: MailParameters) {
    this.sender = sender;
    this.body = body;
    this.receivedAt = receivedAt;
    this.envid = envid;
    this.returnsWhole = returnsWhole;
  }

  addRecipient({ address, notification }: Recipient, maxRecipients: number): Reply {
    const chars = this.#recipientChars + address.length;
    if (this.recipients.length < maxRecipients && chars <= maxRecipientChars(maxRecipients)) {
      this.#recipientChars = chars;
      this.recipients.push(address);
      if (notification !== null) this.notifications.set(address, notification);
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
  return new Mail(path.address, parameters);
}

export interface Recipient {
  readonly address: string;
  readonly notification: NotificationRequest | null;
}

/** The recipient of `RCPT TO:…`, or what is wrong with the command. */
export function parseRecipient(args: string): Recipient | Reply {
  const start = args.startsWith("TO:") ? "TO:".length : matchEnd(TO, args, 0);
  if (start === -1) return replies.RCPT_SYNTAX;
  const path = parsePath(args.slice(start));
  if (!path.ok) return replies.badRecipient(path.reason);
  if (path.address === "") return replies.badRecipient("it is empty");
  const notification = parseRecipientParameters(path.rest);
  if (notification !== null && "wire" in notification) return notification;
  return { address: path.address, notification };
}

/** BDAT (RFC 3030): a message, or a piece of one, as a counted run of bytes. */
export interface Chunk {
  readonly bytes: number;
  readonly last: boolean;
  /**
   * The reply once the chunk is read and discarded. Its bytes must be read, or they would be taken for commands. Null
   * if the chunk is accepted.
   */
  refusal: Reply | null;
  left: number;
}

/**
 * Null if there is no size, so nothing can be skipped. A size may have any number of digits and counts even if the rest
 * of the line is wrong.
 */
export function parseChunk(args: string): Chunk | null {
  const words = /^(\d+)(|[\x00-\x20\x7f].*)$/s.exec(args);
  if (words === null) return null;
  const [, digits, rest = ""] = words;
  const bytes = Number(digits);
  const last = /^[ \t]+LAST$/i.test(rest);
  const wellFormed = last || rest === "";
  return { bytes, last, refusal: wellFormed ? null : replies.BDAT_SYNTAX, left: bytes };
}

/** A size beyond what can be counted: waiting for its end is pointless. */
export const isEndless = (chunk: Chunk): boolean => !Number.isSafeInteger(chunk.bytes);
