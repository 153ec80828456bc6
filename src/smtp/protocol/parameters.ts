// The parameters of MAIL and RCPT: SIZE (RFC 1870), BODY (RFC 6152, RFC 3030), SMTPUTF8 (RFC 6531),
// RET, ENVID, NOTIFY, ORCPT (RFC 3461), AUTH (RFC 4954). They are all checked; Mailkeep uses SIZE and BODY, and those
// of RFC 3461 for bounces on purpose.
import { asciiUpperCase } from "./command.ts";
import { badParameter, type Reply, unknownParameter } from "./replies.ts";

export type BodyType = "7BIT" | "8BITMIME" | "BINARYMIME";

/** The notifications that are requested for a recipient, unparsed. */
export interface NotificationRequest {
  readonly notify: string | null;
  readonly orcpt: string | null;
}

export interface MailParameters {
  readonly size: number;
  readonly body: BodyType;
  /** When it arrived before, elsewhere, in milliseconds since 1970; null: now. */
  readonly receivedAt: number | null;
  readonly envid: string | null;
  /** Whether notifications are to return the whole message: RET=FULL. */
  readonly returnsWhole: boolean;
}

/** A rule tells whether a value is well formed; `undefined` stands for a keyword without `=`. */
type Rule = (value: string | undefined) => boolean;
type Rules = Readonly<Record<string, { readonly valid: Rule; readonly expected: string }>>;

const matching =
  (pattern: RegExp): Rule =>
  (value) =>
    value !== undefined && pattern.test(value);

const XTEXT = "(?:[!-*,-<>-~]|\\+[\\dA-F]{2})";

const MAIL_RULES: Rules = {
  SIZE: { valid: matching(/^\d+$/), expected: "SIZE needs a number" },
  BODY: {
    valid: matching(/^(?:7BIT|8BITMIME|BINARYMIME)$/i),
    expected: "BODY is 7BIT, 8BITMIME or BINARYMIME",
  },
  SMTPUTF8: { valid: (value) => value === undefined, expected: "SMTPUTF8 takes no value" },
  RET: { valid: matching(/^(?:FULL|HDRS)$/i), expected: "RET is FULL or HDRS" },
  ENVID: {
    valid: matching(new RegExp(`^${XTEXT}{1,100}$`)),
    expected: "ENVID needs 1 to 100 xtext characters",
  },
  // Our own, sent by `mailkeep import --use-message-dates`. It is not announced, because nobody else needs it.
  XRECEIVED: {
    valid: matching(/^\d{1,15}$/),
    expected: "XRECEIVED needs a time in milliseconds since 1970",
  },
  AUTH: { valid: matching(new RegExp(`^(?:<>|${XTEXT}+)$`)), expected: "AUTH needs <> or xtext" },
};

const RECIPIENT_RULES: Rules = {
  NOTIFY: {
    valid: matching(/^(?:NEVER|(?:SUCCESS|FAILURE|DELAY)(?:,(?:SUCCESS|FAILURE|DELAY)){0,2})$/i),
    expected: "NOTIFY is NEVER or a list of SUCCESS, FAILURE, DELAY",
  },
  ORCPT: {
    // RFC 6533 adds the type utf-8, whose value may be written in UTF-8 itself.
    valid: matching(/^[a-z\d-]+;[^ =\x00-\x1f\x7f][^ \x00-\x1f\x7f]{0,499}$/i),
    expected: "ORCPT needs a type and an address",
  },
};

const NO_PARAMETERS: MailParameters = {
  size: 0,
  body: "7BIT",
  receivedAt: null,
  envid: null,
  returnsWhole: false,
};

export function parseMailParameters(text: string): MailParameters | Reply {
  if (text === "") return NO_PARAMETERS;
  const found = parseParameters(text, MAIL_RULES);
  if (!(found instanceof Map)) return found;
  const receivedAt = found.get("XRECEIVED");
  return {
    size: Number(found.get("SIZE") ?? 0),
    body: (found.get("BODY")?.toUpperCase() ?? "7BIT") as BodyType,
    receivedAt: receivedAt === undefined ? null : Number(receivedAt),
    envid: found.get("ENVID") ?? null,
    returnsWhole: found.get("RET")?.toUpperCase() === "FULL",
  };
}

/** Null where nothing is asked for. */
export function parseRecipientParameters(text: string): NotificationRequest | Reply | null {
  if (text === "") return null;
  const found = parseParameters(text, RECIPIENT_RULES);
  if (!(found instanceof Map)) return found;
  return { notify: found.get("NOTIFY") ?? null, orcpt: found.get("ORCPT") ?? null };
}

/** If a keyword is given twice, the last one counts: smtplib adds a second SIZE. */
function parseParameters(text: string, rules: Rules): Map<string, string | undefined> | Reply {
  const found = new Map<string, string | undefined>();
  for (const word of text.split(/[ \t]+/)) {
    if (word === "") continue;
    const equals = word.indexOf("=");
    const keyword = asciiUpperCase(equals === -1 ? word : word.slice(0, equals));
    const value = equals === -1 ? undefined : word.slice(equals + 1);
    const rule = Object.hasOwn(rules, keyword) ? rules[keyword] : undefined;
    if (rule === undefined) return unknownParameter(keyword);
    if (!rule.valid(value)) return badParameter(rule.expected);
    found.set(keyword, value);
  }
  return found;
}
