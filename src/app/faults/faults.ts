// The faults that are to happen on purpose: rules by name, in the order in which they are tried, and recipients that
// say what happens to them.
import type { FaultStage } from "../../lib/fault-stages.ts";
import { MAX_FAULT_RULES } from "../../lib/limits.ts";
import type { Fault, FaultRule } from "../../model/index.ts";
import { HeaderStart } from "../header-start.ts";
import { addressFault } from "./addresses.ts";
import { type FaultContext, type FaultHit, FaultRuleError, Rule } from "./rule.ts";

export interface FaultsOptions {
  readonly now: () => Date;
  readonly rules?: readonly FaultRule[];
  /** `fault+450@…` is refused with 450. */
  readonly addresses?: boolean;
}

/** Expired rules of which the count can still be asked for. */
const MAX_EXPIRED = 100;

export class Faults {
  readonly #now: () => number;
  readonly #addresses: boolean;
  #rules: readonly Rule[] = [];
  #expired: readonly Rule[] = [];

  /** Throws a FaultRuleError. */
  constructor({ now, rules = [], addresses = false }: FaultsOptions) {
    this.#now = () => now().getTime();
    this.#addresses = addresses;
    this.replace(rules);
  }

  /** Whether nothing can happen, so that nobody need ask. */
  get isEmpty(): boolean {
    return this.#rules.length === 0 && !this.#addresses;
  }

  has(stage: FaultStage): boolean {
    return this.#current().some(({ given }) => given.at === stage);
  }

  /** Those that have expired come last. */
  list(): Fault[] {
    return [...this.#current(), ...this.#expired].map(({ state }) => state);
  }

  /** All rules at once, with new counts. Throws a FaultRuleError and changes nothing. */
  replace(given: readonly FaultRule[]): void {
    const now = this.#now();
    this.#rules = given.map((rule, index) => {
      const isTwice = given.findIndex(({ name }) => name === rule.name) < index;
      try {
        if (isTwice) throw new FaultRuleError("name", "is that of another rule, too");
        return new Rule(rule, now);
      } catch (error) {
        if (!(error instanceof FaultRuleError)) throw error;
        throw new FaultRuleError(`rules.${index}.${error.field}`, error.reason);
      }
    });
    this.#expired = [];
  }

  /** Throws a FaultRuleError. */
  add(given: FaultRule): Fault {
    const rules = this.#current();
    if (rules.some((rule) => rule.given.name === given.name)) {
      throw new FaultRuleError("name", "is that of another rule");
    }
    if (rules.length >= MAX_FAULT_RULES) {
      throw new FaultRuleError("name", `cannot be taken: there are ${MAX_FAULT_RULES} rules`);
    }
    const rule = new Rule(given, this.#now());
    this.#rules = [...rules, rule];
    this.#expired = without(given.name, this.#expired);
    return rule.state;
  }

  /** False when there was none of that name. */
  remove(name: string): boolean {
    const isKnown = this.list().some((rule) => rule.name === name);
    this.#rules = without(name, this.#rules);
    this.#expired = without(name, this.#expired);
    return isKnown;
  }

  /** The first fault that is to happen to this session now. */
  at(stage: FaultStage, context: FaultContext): FaultHit | null {
    const asked = this.#addresses && stage === "rcpt" ? addressFault(context.recipients[0] ?? "") : null;
    if (asked !== null) return asked;
    const now = this.#now();
    return this.#rules.find((rule) => rule.strikes(stage, context, now))?.hit ?? null;
  }

  /** Null when no rule looks at headers. */
  startHeader(): HeaderStart | null {
    return this.#rules.some(({ given }) => given.header !== undefined) ? new HeaderStart() : null;
  }

  #current(): readonly Rule[] {
    const now = this.#now();
    const expired = this.#rules.filter((rule) => rule.isExpired(now));
    if (expired.length > 0) {
      this.#rules = this.#rules.filter((rule) => !expired.includes(rule));
      this.#expired = [...this.#expired, ...expired].slice(-MAX_EXPIRED);
    }
    return this.#rules;
  }
}

const without = (name: string, rules: readonly Rule[]) => rules.filter(({ given }) => given.name !== name);
