// Faults on purpose: the rules, in the order in which they are tried, and recipients that name their own fault.
import type { FaultStage } from "../../lib/smtp.ts";
import type { Fault, FaultRule } from "../../model/index.ts";
import { MAX_FAULT_RULES } from "../../model/index.ts";
import type { Scope } from "../../store/index.ts";
import { FieldError } from "../field-error.ts";
import { type FaultContext, type FaultHit, type FaultReply, Rule } from "./rule.ts";

export interface FaultsOptions {
  readonly now: () => Date;
  readonly rules?: readonly FaultRule[];
  /** Whether an address may name its fault: `fault+450@…` is refused with 450. */
  readonly addresses?: boolean;
}

/** The counts of this many expired rules can still be read. */
const MAX_EXPIRED = 100;

export class Faults {
  readonly #now: () => number;
  readonly #addresses: boolean;
  #rules: readonly Rule[] = [];

  /** Throws a FieldError if a rule cannot be used. */
  constructor({ now, rules = [], addresses = false }: FaultsOptions) {
    this.#now = () => now().getTime();
    this.#addresses = addresses;
    this.replace(rules);
  }

  /** True if there are no faults, so that sessions need not look for one. */
  get isEmpty(): boolean {
    return !this.#addresses && (this.#rules.length === 0 || this.#current.length === 0);
  }

  has(stage: FaultStage): boolean {
    return this.#current.some(({ given }) => given.at === stage);
  }

  list(scope: Scope = null): Fault[] {
    return [...this.#current, ...this.#expired].filter(isOf(scope)).map(({ state }) => state);
  }

  /**
   * Replaces all rules of the inboxes in `scope`. The new rules have no hits and matches yet. On a
   * FieldError nothing is changed.
   */
  replace(given: readonly FaultRule[], scope: Scope = null): void {
    const now = this.#now();
    const added = given.map((one, index) => {
      try {
        const rule = placed(one, scope);
        const isTwice = given.findIndex((other) => isSame(rule, placed(other, scope))) < index;
        if (isTwice) throw new FieldError("name", "is used by another rule");
        return new Rule(rule, now);
      } catch (error) {
        if (!(error instanceof FieldError)) throw error;
        throw new FieldError(`rules.${index}.${error.field}`, error.reason);
      }
    });
    this.#rules = [...this.#rules.filter(not(isOf(scope))), ...added];
  }

  /** Throws a FieldError if the rule cannot be used. */
  add(given: FaultRule, scope: Scope = null): Fault {
    const current = this.#current;
    const rule = new Rule(placed(given, scope), this.#now());
    const isTaken = (other: Rule) => isSame(rule.given, other.given);
    if (current.some(isTaken)) throw new FieldError("name", "is used by another rule");
    if (current.filter(isOf(scope)).length >= MAX_FAULT_RULES) {
      throw new FieldError(
        "name",
        `cannot be added: there are ${MAX_FAULT_RULES} rules already, the maximum`,
      );
    }
    const forgotten = this.#expired.slice(0, -MAX_EXPIRED);
    this.#rules = [...this.#rules.filter((one) => !isTaken(one) && !forgotten.includes(one)), rule];
    return rule.state;
  }

  remove(name: string, scope: Scope = null): boolean {
    const isMeant = (rule: Rule) => rule.given.name === name && isOf(scope)(rule);
    const isKnown = this.#rules.some(isMeant);
    this.#rules = this.#rules.filter(not(isMeant));
    return isKnown;
  }

  /**
   * Removes the rules of `inbox` that have these names, and adds `rules` to it. If `inbox` is
   * undefined, both are rules for all mail. On a FieldError nothing is changed.
   */
  exchange(names: readonly string[], rules: readonly FaultRule[], inbox?: string): void {
    const stays = ({ given }: Rule) => given.inbox !== inbox || !names.includes(given.name);
    const before = this.#rules;
    this.#rules = before.filter(stays);
    try {
      for (const rule of rules) this.add(rule, inbox === undefined ? null : [inbox]);
    } catch (error) {
      this.#rules = before;
      throw error;
    }
  }

  /** The fault that the recipient's address names, or that of the first rule that hits. */
  at(stage: FaultStage, context: FaultContext): FaultHit | null {
    const asked = this.#addresses && stage === "rcpt" ? addressFault(context.recipients[0] ?? "") : null;
    if (asked !== null) return asked;
    const now = this.#now();
    return this.#rules.find((rule) => rule.strikes(stage, context, now))?.hit ?? null;
  }

  /** Whether a rule needs the header of the mail. A field of the header may decide the inbox. */
  get needsHeader(): boolean {
    return this.#rules.some(({ given }) => given.header !== undefined || given.inbox !== undefined);
  }

  get #current(): readonly Rule[] {
    const now = this.#now();
    return this.#rules.filter((rule) => !rule.isExpired(now));
  }

  get #expired(): readonly Rule[] {
    const now = this.#now();
    return this.#rules.filter((rule) => rule.isExpired(now));
  }
}

const not =
  (holds: (rule: Rule) => boolean) =>
  (rule: Rule): boolean =>
    !holds(rule);

/** Callers limited to some inboxes see only the rules of these inboxes. */
const isOf =
  (scope: Scope) =>
  ({ given: { inbox } }: Rule): boolean =>
    scope === null || (inbox !== undefined && scope.includes(inbox));

/** Each inbox has its own names. Otherwise the error for a used name would reveal the rule of another inbox. */
const isSame = (left: FaultRule, right: FaultRule): boolean =>
  left.name === right.name && left.inbox === right.inbox;

function placed(rule: FaultRule, scope: Scope): FaultRule {
  const { inbox = scope?.length === 1 ? scope[0] : undefined } = rule;
  if (scope !== null && (inbox === undefined || !scope.includes(inbox)))
    throw new FieldError("inbox", `must be ${scope.join(" or ")}`);
  return inbox === undefined ? rule : { ...rule, inbox };
}

// Recipients that name their fault: `fault+450-4.2.2@…` is refused; mail to `bounce+5.1.1@…` is stored and
// bounces.

const FAULT = /^fault\+(?:([45]\d\d)(?:-([45]\.\d{1,3}\.\d{1,3}))?(?=@)|(?=.))/i;
const BOUNCE = /^bounce\+(?:([45]\.\d{1,3}\.\d{1,3})(?=@)|(?=.))/i;

const hit = (reply: FaultReply): FaultHit => ({
  rule: "fault-addresses",
  reply,
  delayMs: 0,
  bytesPerSecond: 0,
  drop: false,
});

const misspelt = (expected: string) =>
  hit({ code: 501, enhanced: "5.1.3", text: `Not understood; write ${expected}` });

/** A misspelt fault address is refused, so that no test relies on it by mistake. */
function addressFault(address: string): FaultHit | null {
  const [isFault, code, given] = FAULT.exec(address) ?? [];
  if (isFault !== undefined) {
    const enhanced = given ?? `${code?.[0]}.0.0`;
    if (code === undefined || enhanced[0] !== code[0]) return misspelt("fault+450@ or fault+450-4.2.2@");
    return hit({ code: Number(code), enhanced, text: "Refused on purpose, as the address asks" });
  }
  const [isBounce] = BOUNCE.exec(address) ?? [];
  return isBounce !== undefined && bounceStatus(address) === null ? misspelt("bounce+5.1.1@") : null;
}

export const bounceStatus = (address: string): string | null => BOUNCE.exec(address)?.[1] ?? null;
