// The main thread's door to the checks: each runs in a worker with a time limit, and a failure of one leaves the others.
import type { CheckName } from "../lib/check-names.ts";
import { TaskPool } from "../mime/index.ts";
import type { Check } from "../model/index.ts";
import { off } from "./finding.ts";
import type { MailToCheck } from "./mail.ts";
import type { CheckTasks } from "./tasks.ts";

export interface CheckerOptions {
  readonly startWorker: () => Worker;
  readonly timeoutMs: number;
}

export interface CheckOptions {
  /** By name, family or platform; empty for the usual ones. */
  readonly clients: readonly string[];
}

export interface CheckOutcome {
  readonly check: Check;
  /** Another time may give another answer: the network was asked, or there was no time. */
  readonly mayChange: boolean;
}

/** A larger mail is not read whole into memory. */
const MAX_RAW_BYTES = 64 * 1024 ** 2;
const NEEDS_RAW: readonly CheckName[] = ["content", "auth", "spam"];
const NO_BYTES = new Uint8Array();

export class Checker {
  readonly #pool: TaskPool<CheckTasks>;

  constructor({ startWorker, timeoutMs }: CheckerOptions) {
    this.#pool = new TaskPool<CheckTasks>(startWorker, timeoutMs);
  }

  async check(name: CheckName, { mail, raw }: MailToCheck, { clients }: CheckOptions): Promise<CheckOutcome> {
    if (name === "auth" || name === "spam") return { check: off(name, "Not there yet."), mayChange: false };
    const load = async () => ({
      mail,
      raw: NEEDS_RAW.includes(name) ? await raw.bytes(0, Math.min(raw.size, MAX_RAW_BYTES)) : NO_BYTES,
      clients,
    });
    try {
      return { check: await this.#pool.run(name, load), mayChange: false };
    } catch (error) {
      return { check: notMade(name, error), mayChange: true };
    }
  }

  close(): void {
    this.#pool.close();
  }
}

/** A mail that a check cannot cope with is no good mail. */
const notMade = (name: CheckName, error: unknown): Check => ({
  name,
  status: "fail",
  score: 0,
  summary: "The check could not be made.",
  findings: [
    {
      rule: "check-failed",
      severity: "error",
      message: `The check was stopped: ${(error as Error).message}.`,
      help: "Look for parts of the mail that are unusually large or deeply nested.",
      where: null,
    },
  ],
});
