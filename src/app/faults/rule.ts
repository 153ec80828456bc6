// One rule for faults on purpose: what it matches, which of the matches it hits, and what it does to them.

import { parseSize } from "../../lib/numbers.ts";
import { FAULT_STAGES, type FaultStage } from "../../lib/smtp.ts";
import { isBareAddress } from "../../lib/text.ts";
import { parseDuration } from "../../lib/time.ts";
import { readHeaders } from "../../mime/index.ts";
import type { Fault, FaultRule } from "../../model/index.ts";
import { DEFAULT_INBOX } from "../../model/index.ts";
import { headerPattern, wildcard } from "../arrival.ts";
import { FieldError } from "../field-error.ts";

/** What is known of a session when it reaches a stage. */
export interface FaultContext {
  readonly client: string;
  /** The inbox of the mail, as far as it is known at this stage. */
  readonly inbox?: () => string;
  readonly sender: string;
  /** At `rcpt` the recipient of the command; at `data` and `end` all accepted recipients. */
  readonly recipients: readonly string[];
  /** The start of the message; null before stage `end`, or if nothing needed its header. */
  readonly header: Uint8Array | null;
}

/** What a fault does to the session. */
export interface FaultHit {
  readonly rule: string;
  readonly reply: FaultReply | null;
  readonly delayMs: number;
  /** 0 leaves the speed as it is. */
  readonly bytesPerSecond: number;
  readonly drop: boolean;
}

export interface FaultReply {
  readonly code: number;
  readonly enhanced: string;
  readonly text: string;
}

const MINUTE_MS = 60_000;
const MAX_DELAY_MS = 10 * MINUTE_MS;
/** A rule remembers this many greylisted mails. If there are more, the oldest are forgotten. */
const MAX_GREYLISTED = 10_000;

/** The first stage at which a condition can be evaluated. */
const KNOWN_AT = { from: "mail", to: "rcpt", header: "end" } as const;
const CLIENT = /^[\da-f.:*]+$/i;
const HEADER = /^[!-9;-~]+\s*(?::|$)/;
const ACTIONS = ["reply", "delay", "throttle", "drop", "rate_limit", "greylist"] as const;

export class Rule {
  readonly given: FaultRule;
  readonly hit: FaultHit;
  readonly #expiresAt: number | null;
  readonly #conditions: readonly ((context: FaultContext) => boolean)[];
  readonly #random: () => number;
  readonly #greylisted = new Set<string>();
  #hits = 0;
  #matches = 0;
  #minute = { since: Number.NEGATIVE_INFINITY, count: 0 };

  /** Throws a FieldError for a wrong value, or if fields of the rule do not fit together. */
  constructor({ hits: _, expires_at: __, ...given }: FaultRule, now: number) {
    checkTogether(given);
    this.given = given;
    this.hit = hitOf(given);
    this.#expiresAt = given.expires === undefined ? null : now + spanOf("expires", given.expires);
    this.#conditions = conditionsOf(given);
    this.#random = randomNumbers(given.seed ?? 0);
  }

  isExpired(now: number): boolean {
    return this.#expiresAt !== null && now >= this.#expiresAt;
  }

  get state(): Fault {
    const expires = this.#expiresAt === null ? {} : { expires_at: new Date(this.#expiresAt).toISOString() };
    return { ...this.given, ...expires, hits: this.#hits };
  }

  /** Whether the rule hits now. Counts matches and hits. */
  strikes(stage: FaultStage, context: FaultContext, now: number): boolean {
    const { at, times = Number.POSITIVE_INFINITY } = this.given;
    if (at !== stage || this.#hits >= times || this.isExpired(now)) return false;
    if (!this.#conditions.every((holds) => holds(context)) || !this.#isChosen(context, now)) return false;
    this.#hits++;
    return true;
  }

  #isChosen(context: FaultContext, now: number): boolean {
    const { first, after, every, probability, rate_limit, greylist } = this.given;
    const number = ++this.#matches;
    if (first !== undefined && number > first) return false;
    if (after !== undefined && number <= after) return false;
    if (every !== undefined && number % every !== 0) return false;
    if (probability !== undefined && this.#random() >= probability) return false;
    if (rate_limit !== undefined && this.#countInMinute(now) <= rate_limit) return false;
    return !greylist || this.#isNew(context);
  }

  /** A minute begins with the first match after the previous minute. */
  #countInMinute(now: number): number {
    if (now - this.#minute.since >= MINUTE_MS) this.#minute = { since: now, count: 0 };
    return ++this.#minute.count;
  }

  #isNew({ client, sender, recipients }: FaultContext): boolean {
    const key = JSON.stringify([client, sender, ...recipients]);
    if (this.#greylisted.has(key)) return false;
    const [oldest] = this.#greylisted;
    if (this.#greylisted.size >= MAX_GREYLISTED && oldest !== undefined) this.#greylisted.delete(oldest);
    this.#greylisted.add(key);
    return true;
  }
}

function checkTogether(rule: FaultRule): void {
  if (!ACTIONS.some((action) => rule[action] !== undefined && rule[action] !== false)) {
    throw new FieldError("reply", `is missing: a rule needs one of ${ACTIONS.join(", ")}`);
  }
  for (const [field, stage] of Object.entries(KNOWN_AT)) {
    const isGiven = Object.hasOwn(rule, field);
    if (isGiven && FAULT_STAGES.indexOf(rule.at) < FAULT_STAGES.indexOf(stage)) {
      throw new FieldError(field, `cannot be used at ${rule.at}: it is known only from ${stage} on`);
    }
  }
  for (const field of ["from", "to"] as const)
    if (!isBareAddress(rule[field] ?? ""))
      throw new FieldError(field, "must be an address alone: no name, angle brackets or spaces around it");
  if (rule.to === "") throw new FieldError("to", "is empty, so nothing would match: leave it out");
  const { client = "*", header = "*", first = Number.POSITIVE_INFINITY, after = 0 } = rule;
  if (!CLIENT.test(client))
    throw new FieldError("client", "must be an IP address, as in 10.0.* (* is any text)");
  if (!HEADER.test(header))
    throw new FieldError("header", "must begin with a field name, as in X-Test: checkout*");
  if (after >= first) throw new FieldError("after", "must be below first, because nothing would match");
  if (rule.seed !== undefined && rule.probability === undefined) {
    throw new FieldError("seed", "needs probability");
  }
  const { code, enhanced } = rule.reply ?? {};
  if (enhanced !== undefined && enhanced[0] !== String(code)[0]) {
    throw new FieldError("reply.enhanced", `must begin with the first digit of ${code}`);
  }
}

function hitOf(rule: FaultRule): FaultHit {
  const { name, delay, throttle } = rule;
  const delayMs = delay === undefined ? 0 : spanOf("delay", delay);
  if (delayMs > MAX_DELAY_MS) throw new FieldError("delay", "must be at most 10m");
  const bytesPerSecond = throttle === undefined ? 0 : (parseSize(String(throttle)) ?? 0);
  if (throttle !== undefined && bytesPerSecond < 1)
    throw new FieldError("throttle", "must be at least 1 byte a second");
  return { rule: name, reply: replyOf(rule), delayMs, bytesPerSecond, drop: rule.drop === true };
}

function replyOf({ name, reply, greylist, rate_limit }: FaultRule): FaultReply | null {
  if (reply) {
    const { code, enhanced = `${String(code)[0]}.0.0`, text = `Refused on purpose by ${name}` } = reply;
    return { code, enhanced, text };
  }
  if (greylist) return { code: 450, enhanced: "4.2.0", text: "Greylisted, try again" };
  if (rate_limit) return { code: 421, enhanced: "4.7.0", text: "Too many in a minute, try again later" };
  return null;
}

function spanOf(field: "delay" | "expires", span: string): number {
  const ms = parseDuration(span);
  // The schema has checked the format, so null means that the span is too long.
  if (ms === null) throw new FieldError(field, "is too long");
  if (ms === 0 && field === "expires") throw new FieldError(field, "must be longer than 0");
  return ms;
}

function conditionsOf({ inbox, from, to, client, header }: FaultRule) {
  const conditions: ((context: FaultContext) => boolean)[] = [];
  if (inbox !== undefined) conditions.push((context) => (context.inbox?.() ?? DEFAULT_INBOX) === inbox);
  const matching = (pattern: string | undefined, texts: (context: FaultContext) => readonly string[]) => {
    if (pattern === undefined) return;
    const matches = wildcard(pattern);
    conditions.push((context) => texts(context).some(matches));
  };
  matching(from, ({ sender }) => [sender]);
  matching(to, ({ recipients }) => recipients);
  matching(client, (context) => [context.client]);
  if (header !== undefined) {
    const matches = headerPattern(header);
    conditions.push(({ header }) => matches(readHeaders(header ?? new Uint8Array())));
  }
  return conditions;
}

/** Random numbers from 0 to 1 (mulberry32). The same seed gives the same numbers. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
