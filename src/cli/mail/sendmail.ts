// Behaves like sendmail: reads its command line, and completes the mail from standard input.
import type { ComposedMail } from "../../app/index.ts";
import { UsageError } from "../../config/index.ts";
import { type Field, readFields } from "../../mime/index.ts";
import { addressesIn, addressesOf } from "./envelope.ts";

export interface SendmailArguments {
  /** -bs: standard input has SMTP commands instead of a mail. */
  readonly speaksSmtp: boolean;
  /** -t: take recipients from To, Cc and Bcc, or from Resent- fields; remove Bcc and Resent-Bcc. */
  readonly readsRecipients: boolean;
  /** -i, -oi: a line with a single dot does not end the mail. */
  readonly ignoresDots: boolean;
  /** -f, -r */
  readonly sender: string | null;
  /** -F: the name for the From field if the mail has none. */
  readonly fullName: string | null;
  readonly recipients: readonly string[];
  /** Our own flags, which begin with two dashes. */
  readonly longFlags: readonly string[];
}

const WITH_VALUE = "ABbCDeFfhLNOopRrVX";
/** A value of these flags is optional and follows without a space. */
const WITH_ATTACHED_VALUE = "dq";
const WITHOUT_VALUE = "GiIMmnstUv";

interface Letter {
  readonly letter: string;
  readonly value: string;
}

export function parseSendmailArguments(args: readonly string[]): SendmailArguments {
  const letters: Letter[] = [];
  const recipients: string[] = [];
  const longFlags: string[] = [];
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === "--") recipients.push(...rest.splice(0));
    else if (arg.startsWith("--")) longFlags.push(arg, ...(arg.includes("=") ? [] : rest.splice(0, 1)));
    else if (arg.startsWith("-") && arg !== "-") letters.push(...readLetters(arg.slice(1), rest));
    else recipients.push(arg);
  }
  const mode = letters.findLast(({ letter }) => letter === "b" || letter === "q");
  const given = mode ? `-${mode.letter}${mode.value}` : "-bm";
  if (given !== "-bm" && given !== "-bs")
    throw new UsageError(`${given} is not supported: mailkeep send sends one mail and has no queue`);
  const last = (...names: string[]) =>
    letters.findLast(({ letter }) => names.includes(letter))?.value ?? null;
  return {
    speaksSmtp: given === "-bs",
    readsRecipients: last("t") !== null,
    ignoresDots: letters.some(({ letter, value }) => letter === "i" || (letter === "o" && value === "i")),
    sender: readSender(last("f", "r")),
    fullName: last("F"),
    recipients: recipients.flatMap(readRecipients),
    longFlags,
  };
}

/** `a@x`, `<a@x>` or `Ann <a@x>`; `<>` is the null sender. */
const readSender = (given: string | null) => given?.replace(/^.*?<(.*)>\s*$/, "$1") ?? null;

/** `a@x,b@x` or `Ann <a@x>`. Without a `<` each part is passed on as it is, for the server to judge. */
function readRecipients(given: string): string[] {
  if (given.includes("<")) return addressesIn(Buffer.from(given).toString("latin1"));
  return given
    .trim()
    .split(/\s*,\s*/)
    .filter(Boolean);
}

/** `-ti`, `-fann@x`, `-f ann@x`: takes the value from `rest` if none is attached. */
function readLetters(cluster: string, rest: string[]): Letter[] {
  const letters: Letter[] = [];
  for (let at = 0; at < cluster.length; at++) {
    const letter = cluster[at] ?? "";
    if (WITH_VALUE.includes(letter)) {
      const value = cluster.slice(at + 1) || rest.shift();
      if (value === undefined) throw new UsageError(`-${letter} needs a value`);
      return [...letters, { letter, value }];
    }
    if (WITH_ATTACHED_VALUE.includes(letter)) return [...letters, { letter, value: cluster.slice(at + 1) }];
    if (!WITHOUT_VALUE.includes(letter))
      throw new UsageError(`unknown flag -${letter}; see 'mailkeep help send'`);
    letters.push({ letter, value: "" });
  }
  return letters;
}

/**
 * Bare LF becomes CRLF. Unless `ignoresDots` is set, a line with a single dot ends the text.
 * Returns one character for each octet.
 */
export function normalizeInput(input: Uint8Array, ignoresDots: boolean): string {
  const text = Buffer.from(input).toString("latin1");
  const [dotLine] = ignoresDots ? [] : [/(?:^|\n)\.\r?(?:\n|$)/.exec(text)];
  const kept = dotLine ? text.slice(0, dotLine.index + (dotLine[0].startsWith("\n") ? 1 : 0)) : text;
  return kept.replace(/\r?\n/g, "\r\n");
}

const RECIPIENTS = ["to", "cc", "bcc"];
const RESENT_RECIPIENTS = RECIPIENTS.map((name) => `resent-${name}`);
/** A Bcc or Resent-Bcc field, with the lines into which it is folded. */
const HIDDEN = /(?<![^\n])(?:resent-)?bcc[ \t]*:[^\n]*(?:\n[ \t][^\n]*)*(?:\n|$)/gi;
/** Some programs write this mark before every text in UTF-8. */
const BYTE_ORDER_MARK = "\xef\xbb\xbf";
const EMPTY_LINE = /(?<![^\n])\r\n/;

/** Recipients in Resent- fields replace those in To, Cc and Bcc, who have the mail already. */
function recipientsIn(fields: readonly Field[]): string[] {
  const resentTo = addressesOf(fields, ...RESENT_RECIPIENTS);
  return resentTo.length > 0 ? resentTo : addressesOf(fields, ...RECIPIENTS);
}

export function composeMail(
  input: Uint8Array,
  { readsRecipients, ignoresDots, sender, fullName, recipients }: SendmailArguments,
  fallbackSender: string,
): ComposedMail {
  const normalized = normalizeInput(input, ignoresDots);
  const mark = normalized.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
  const mail = normalized.slice(mark.length);
  const fields = readFields(Buffer.from(mail, "latin1"));
  const [author] = addressesOf(fields, "from");
  const [submitter] = addressesOf(fields, "sender");
  const from = sender ?? submitter ?? author ?? fallbackSender;
  const listed = readsRecipients ? recipientsIn(fields) : [];
  const headerEnd = EMPTY_LINE.exec(mail)?.index ?? mail.length;
  const header = mail.slice(0, headerEnd);
  const addsFrom = fullName !== null && author === undefined;
  const name = fullName?.replace(/["\\\r\n]/g, "");
  const added = addsFrom ? Buffer.from(`From: "${name}" <${from}>\r\n`).toString("latin1") : "";
  // If From is added to a mail without a header, an empty line must separate it from the text.
  const gap = addsFrom && fields.length === 0 && headerEnd > 0 ? "\r\n" : "";
  const rest = (readsRecipients ? header.replace(HIDDEN, "") : header) + mail.slice(headerEnd);
  return {
    envelope: { sender: from, recipients: [...new Set([...recipients, ...listed])] },
    bytes: Buffer.from(mark + added + gap + rest, "latin1"),
  };
}
