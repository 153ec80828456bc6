// The command line of sendmail, as programs call it: single letters, joined or apart, values attached or not.
import { UsageError } from "../../config/index.ts";
import { addressesIn } from "./address-list.ts";

export interface SendmailArguments {
  /** -bs: no mail follows, but SMTP. */
  readonly speaksSmtp: boolean;
  /** -t: take the recipients from To, Cc and Bcc, or from Resent-To, Resent-Cc and Resent-Bcc; drop both Bcc. */
  readonly readsRecipients: boolean;
  /** -i, -oi: a line with a single dot is a line like any other. */
  readonly ignoresDots: boolean;
  /** -f, -r */
  readonly sender: string | null;
  /** -F: the name for a From field where the mail has none. */
  readonly fullName: string | null;
  readonly recipients: readonly string[];
  /** Flags with two dashes, which are ours. */
  readonly longFlags: readonly string[];
}

const WITH_VALUE = "ABbCDeFfhLNOopRrVX";
/** Their value is attached or absent. */
const WITH_ATTACHED_VALUE = "dq";
const WITHOUT_VALUE = "GiIMmnstUv";
const SENDS = "-bm";
const SPEAKS_SMTP = "-bs";

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
  const given = mode ? `-${mode.letter}${mode.value}` : SENDS;
  if (given !== SENDS && given !== SPEAKS_SMTP)
    throw new UsageError(`${given} is not supported: this sends one mail and keeps no queue`);
  const last = (...names: string[]) =>
    letters.findLast(({ letter }) => names.includes(letter))?.value ?? null;
  return {
    speaksSmtp: given === SPEAKS_SMTP,
    readsRecipients: last("t") !== null,
    ignoresDots: letters.some(({ letter, value }) => letter === "i" || (letter === "o" && value === "i")),
    sender: readSender(last("f", "r")),
    fullName: last("F"),
    recipients: recipients.flatMap(readRecipients),
    longFlags,
  };
}

/** `a@x`, `<a@x>` or `Ann <a@x>`; `<>` is nobody. */
const readSender = (given: string | null) => given?.replace(/^.*?<(.*)>\s*$/, "$1") ?? null;

/** `a@x,b@x` or `Ann <a@x>`; what is no address is left for the server to refuse. */
function readRecipients(given: string): string[] {
  if (given.includes("<")) return addressesIn(given);
  return given
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);
}

/** `-ti`, `-fme@example.com`, `-f me@example.com`: takes a value from `rest` where none is attached. */
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
