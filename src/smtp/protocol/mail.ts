// One mail transaction, from MAIL to the end of its message (RFC 5321 section 3.3), and parsers of its commands.
import { matchEnd, parsePath } from "../../lib/smtp.ts";
import { asciiUpperCase } from "./command.ts";
import type { Reply } from "./replies.ts";
import * as replies from "./replies.ts";

const FROM = /FROM[ \t]*:/iy;
const TO = /TO[ \t]*:/iy;

/** The limit for all recipients together, because every list of mails shows them all. */
const maxRecipientChars = (maxRecipients: number) => 512 + 64 * maxRecipients;

export class Mail {
  readonly sender: string;
  readonly parameters: MailParameters;
  readonly recipients: string[] = [];
  /** Only for recipients with this parameter (RFC 3461). */
  readonly notify = new Map<string, string>();
  #recipientChars = 0;
  /** Whether the first DATA or BDAT command was accepted. */
  begun = false;
  bytes = 0;
  tooBig = false;

  constructor(sender: string, parameters: MailParameters) {
    this.sender = sender;
    this.parameters = parameters;
  }

  addRecipient({ address, notify }: Recipient, maxRecipients: number): Reply {
    const chars = this.#recipientChars + address.length;
    if (this.recipients.length >= maxRecipients || chars > maxRecipientChars(maxRecipients))
      return replies.TOO_MANY_RECIPIENTS;
    this.#recipientChars = chars;
    this.recipients.push(address);
    if (notify !== undefined) this.notify.set(address, notify);
    return replies.RECIPIENT_OK;
  }
}

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
  readonly notify: string | undefined;
}

export function parseRecipient(args: string): Recipient | Reply {
  const start = args.startsWith("TO:") ? "TO:".length : matchEnd(TO, args, 0);
  if (start === -1) return replies.RCPT_SYNTAX;
  const path = parsePath(args.slice(start));
  if (!path.ok) return replies.badRecipient(path.reason);
  if (path.address === "") return replies.badRecipient("it is empty");
  const parameters = parseParameters(path.rest, RECIPIENT_RULES);
  if (!(parameters instanceof Map)) return parameters;
  return { address: path.address, notify: parameters.get("NOTIFY") };
}

/** BDAT (RFC 3030): the number of bytes that follow, which are a message or a piece of one. */
export interface Chunk {
  readonly bytes: number;
  readonly last: boolean;
  /** Null if accepted. The bytes of a refused chunk are read, too, because they are not commands. */
  refusal: Reply | null;
  left: number;
}

/** Null if the line is malformed. The size has at most 15 digits, because larger numbers are not exact. */
export function parseChunk(args: string): Chunk | null {
  const [, digits, last] = /^(\d{1,15})([ \t]+LAST)?$/i.exec(args) ?? [];
  if (digits === undefined) return null;
  const bytes = Number(digits);
  return { bytes, last: last !== undefined, refusal: null, left: bytes };
}

// The parameters of MAIL and RCPT: SIZE (RFC 1870), BODY (RFC 6152, RFC 3030), SMTPUTF8 (RFC 6531),
// AUTH (RFC 4954) and our own XRECEIVED. RET, ENVID, NOTIFY and ORCPT (RFC 3461) are accepted, but only
// NOTIFY has an effect: on bounces on purpose.

interface MailParameters {
  readonly size: number;
  readonly isBinary: boolean;
  /** For an imported mail: when it arrived, in milliseconds since 1970. */
  readonly receivedAt: number | null;
}

/** For each keyword: the allowed values, and the answer to any other value. */
type Rules = Readonly<Record<string, readonly [allowed: RegExp, expected: string]>>;

const XTEXT = "(?:[!-*,-<>-~]|\\+[\\dA-F]{2})";

const MAIL_RULES: Rules = {
  SIZE: [/^=\d+$/, "SIZE needs a number"],
  BODY: [/^=(?:7BIT|8BITMIME|BINARYMIME)$/i, "BODY is 7BIT, 8BITMIME or BINARYMIME"],
  SMTPUTF8: [/^$/, "SMTPUTF8 takes no value"],
  RET: [/^=(?:FULL|HDRS)$/i, "RET is FULL or HDRS"],
  ENVID: [new RegExp(`^=${XTEXT}{1,100}$`), "ENVID needs 1 to 100 xtext characters"],
  // Sent by `mailkeep import --use-message-dates`, and not announced, because no other client knows this parameter.
  XRECEIVED: [/^=\d{1,15}$/, "XRECEIVED needs a time in milliseconds since 1970"],
  AUTH: [new RegExp(`^=(?:<>|${XTEXT}+)$`), "AUTH needs <> or xtext"],
};

const RECIPIENT_RULES: Rules = {
  NOTIFY: [
    /^=(?:NEVER|(?:SUCCESS|FAILURE|DELAY)(?:,(?:SUCCESS|FAILURE|DELAY)){0,2})$/i,
    "NOTIFY is NEVER or a list of SUCCESS, FAILURE, DELAY",
  ],
  // RFC 6533 adds the type utf-8, whose value may be written in UTF-8 itself.
  ORCPT: [/^=[a-z\d-]+;[^ =\x00-\x1f\x7f][^ \x00-\x1f\x7f]{0,499}$/i, "ORCPT needs a type and an address"],
};

const NO_PARAMETERS: MailParameters = {
  size: 0,
  isBinary: false,
  receivedAt: null,
};

function parseMailParameters(text: string): MailParameters | Reply {
  if (text === "") return NO_PARAMETERS;
  const found = parseParameters(text, MAIL_RULES);
  if (!(found instanceof Map)) return found;
  const receivedAt = found.get("XRECEIVED");
  return {
    size: Number(found.get("SIZE") ?? 0),
    isBinary: found.get("BODY")?.toUpperCase() === "BINARYMIME",
    receivedAt: receivedAt === undefined ? null : Number(receivedAt),
  };
}

/** If a keyword is given twice, the last value counts: smtplib adds a second SIZE. */
function parseParameters(text: string, rules: Rules): Map<string, string> | Reply {
  const found = new Map<string, string>();
  if (text === "") return found;
  for (const word of text.split(/[ \t]+/)) {
    if (word === "") continue;
    const equals = word.indexOf("=");
    const end = equals === -1 ? word.length : equals;
    const keyword = asciiUpperCase(word.slice(0, end));
    const rule = Object.hasOwn(rules, keyword) ? rules[keyword] : undefined;
    if (rule === undefined) return replies.unknownParameter(keyword);
    const [allowed, expected] = rule;
    if (!allowed.test(word.slice(end))) return replies.badParameter(expected);
    found.set(keyword, word.slice(end + 1));
  }
  return found;
}
