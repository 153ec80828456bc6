// The errors of the client. If a wait or a count fails, the error says what was expected, what
// came, and which mails almost matched.
import { counted, escapeControl } from "../lib/text.ts";
import { describeFilter, type MailFilter } from "./filter.ts";
import type { CountFails, MessageSummary, NearMiss, WaitTimedOut } from "./types.ts";

/** A request failed. `code` is one of the API, or one of the client such as `unreachable`. */
export class MailkeepError extends Error {
  constructor(
    message: string,
    readonly code: string,
    readonly status: number | null = null,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = "MailkeepError";
  }
}

/**
 * If the server did not understand the search, finding nothing proves nothing. If the hint begins with a minus, the
 * search may have found mail that it should leave out.
 */
export function assertUnderstood(isFound: boolean, hint: string | null): void {
  if (hint === null || (isFound && !hint.startsWith("-"))) return;
  const found = isFound
    ? "The search was not understood."
    : "Nothing was found, but the search was not understood.";
  const advice = hint.includes("as text") ? " Quote text that contains a colon." : "";
  const sentence = `${found}${advice}`;
  throw new MailkeepError(`${sentence}${hinted(hint)}`, "search_not_understood");
}

/** A web page cannot tell an answer that CORS forbids from no answer at all. */
const isPage = () => "document" in globalThis;

export class UnreachableError extends MailkeepError {
  constructor(url: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const question = isPage()
      ? "Is it running, is this its address, and does --cors-origin name this page's origin?"
      : "Is it running, and is this its address?";
    super(`Mailkeep does not answer at ${url} (${reason}). ${question}`, "unreachable", null, { cause });
    this.name = "UnreachableError";
  }
}

/** The expected mails did not come, or too many came. `answer` is the answer of the API. */
export class ExpectationError<Answer = unknown> extends MailkeepError {
  constructor(
    message: string,
    readonly answer: Answer,
  ) {
    super(message, "expectation_failed", 417);
    this.name = "ExpectationError";
  }
}

const MAX_SUBJECT_CHARACTERS = 60;
const MAX_RECIPIENTS = 3;

/** `"Your order" from shop@example.com to ann@example.com` */
export function describeMail({ subject, sender, recipients }: MessageSummary): string {
  const start = [...subject].slice(0, MAX_SUBJECT_CHARACTERS).join("");
  const short = start.length < subject.length ? `${start}…` : subject;
  const more = recipients.length - MAX_RECIPIENTS;
  const to = recipients.slice(0, MAX_RECIPIENTS).join(", ") + (more > 0 ? ` and ${more} more` : "");
  return escapeControl(`${JSON.stringify(short)} from ${sender || "<>"} to ${to}`);
}

/** Says what a condition looks at, because envelope and header may have different addresses. */
const PLACES: Readonly<Record<string, string>> = {
  to: "the envelope's recipients",
  from: "the envelope's sender",
  recipient: "the envelope's recipients",
  sender: "the envelope's sender",
  header_from: "the From header",
  header_to: "the To header",
};

function whyMissed(missed: readonly string[], isSinceConnect: boolean): string {
  const isTooOld = isSinceConnect && missed.includes("since");
  const names = missed.filter((name) => name !== "since" || !isTooOld);
  const fields = new Set(names.map((name) => PLACES[name] ?? name));
  const reasons = [
    ...(fields.size > 0 ? [`does not match: ${[...fields].join(", ")}`] : []),
    ...(isTooOld ? ["came before connect()"] : []),
  ];
  return reasons.join("; ");
}

function describeMisses(misses: readonly NearMiss[] = [], isSinceConnect: boolean): string {
  if (misses.length === 0) return "";
  const lines = misses.map(
    ({ message, missed_by }) => `  ${describeMail(message)} (${whyMissed(missed_by, isSinceConnect)})`,
  );
  return `\nThe newest mails that did not match:\n${lines.join("\n")}`;
}

/** "exactly 1 mail", "at least 2 mails", "1 to 3 mails", "no mail" */
export function describeBounds(min: number | null, max: number | null): string {
  if (max === 0) return "no mail";
  if (min !== null && min === max) return `exactly ${counted(min, "mail")}`;
  if (min !== null && max !== null) return `${min} to ${counted(max, "mail")}`;
  if (min !== null) return `at least ${counted(min, "mail")}`;
  return max === null ? "any number of mails" : `at most ${counted(max, "mail")}`;
}

/** "800 ms", "1.5 s" */
function showMilliseconds(milliseconds: number): string {
  if (milliseconds < 1000) return `${milliseconds} ms`;
  return `${Number((milliseconds / 1000).toFixed(1))} s`;
}

const within = (milliseconds: number) =>
  milliseconds > 0 ? ` within ${showMilliseconds(milliseconds)}` : "";
const about = (filter: MailFilter) => {
  const words = describeFilter(filter);
  return words && ` ${words}`;
};

const hinted = (hint: string | null) => (hint === null ? "" : `\nHint: ${hint}`);

export interface Asked {
  readonly filter: MailFilter;
  /** True if the caller gave no `since`, so that mail from before connect() is not visible. */
  readonly isSinceConnect: boolean;
  /** The server's hint about a search that it did not understand or that is too large. */
  readonly hint: string | null;
  readonly timeoutMs: number;
}

/** `matching` are some of the mails that were counted. */
export function describeCountFailure(
  { filter, isSinceConnect, hint, timeoutMs }: Asked,
  answer: CountFails,
  matching: readonly MessageSummary[],
): string {
  const expected = describeBounds(answer.expected_min, answer.expected_max);
  const found =
    answer.count === 0 ? "there is none" : `there ${answer.count === 1 ? "is" : "are"} ${answer.count}`;
  const lines = matching.map((mail) => `\n  ${describeMail(mail)}`);
  const list = lines.length > 0 ? `\nThese match:${lines.join("")}` : "";
  return `Expected ${expected}${about(filter)}${within(timeoutMs)}; ${found}.${list}${hinted(hint)}${describeMisses(answer.near_misses, isSinceConnect)}`;
}

export function describeTimeout(asked: Asked, answer: WaitTimedOut): string {
  const { filter, isSinceConnect, hint, timeoutMs } = asked;
  return `No mail${about(filter)} came${within(timeoutMs)}.${hinted(hint)}${describeMisses(answer.near_misses, isSinceConnect)}`;
}
