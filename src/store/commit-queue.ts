// Group commit: changes that arrive in one turn of the event loop are applied together, in order,
// and answered in that order. While a group is being made durable the next one gathers.

/** A change that a group is to make. */
export interface Change {
  readonly apply: () => unknown;
}

interface Pending extends Change {
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
  readonly isSecondAttempt: boolean;
}

/** What a change results in when it is turned down while the rest of its group stands. */
export class Refused {
  constructor(readonly error: unknown) {}
}

/** What a change results in when it cannot be a part of the group in hand: it begins the next. */
export class Postponed {}

/** What a group came to. */
export interface Committed {
  /** How many of its changes were tried, the first of them; at least one. */
  readonly taken: number;
  /** A promise where the disk has something to do first. When it rejects, none of them was applied. */
  readonly results: unknown[] | Promise<unknown[]>;
}

/** Throws when none of them could be applied. */
export type CommitGroup = (changes: readonly Change[]) => Committed;

/** Whether the cause of a failure is being mended, by something under `hold`: the group is tried once more after it. */
export type IsBeingMended = (error: unknown) => boolean;

/** Bounds the buffer that a group's records are put together in. */
const MAX_GROUP = 128;

export class CommitQueue {
  readonly #commit: CommitGroup;
  readonly #isBeingMended: IsBeingMended;
  #pending: Pending[] = [];
  #scheduled = false;
  #running: Promise<void> | null = null;
  /** How many hold the changes, or are about to. */
  #holders = 0;

  constructor(commit: CommitGroup, isBeingMended: IsBeingMended) {
    this.#commit = commit;
    this.#isBeingMended = isBeingMended;
  }

  /** The promise settles by the very call that ends the group, so answers keep the order of the changes. */
  push<Result>(
    apply: () => Result | Refused | Postponed,
    answer: PromiseWithResolvers<Result> = Promise.withResolvers(),
  ): Promise<Result> {
    this.#pending.push({ apply, resolve: answer.resolve, reject: answer.reject, isSecondAttempt: false });
    this.#schedule();
    return answer.promise;
  }

  /** Runs something when no group is being made durable; it must not be asynchronous. */
  async between<Result>(run: () => Result): Promise<Result> {
    while (this.#running !== null) await this.#running;
    return run();
  }

  /** Runs something longer; changes wait until it is done. */
  async hold(run: () => Promise<void>): Promise<void> {
    this.#holders++;
    while (this.#running !== null) await this.#running;
    this.#running = run().finally(() => {
      this.#running = null;
      this.#holders--;
      this.#flush();
    });
    await this.#running;
  }

  /** Resolves when nothing is waiting any more. */
  async drain(): Promise<void> {
    while (this.#pending.length > 0 || this.#running !== null) {
      this.#flush();
      await this.#running;
    }
  }

  #schedule(): void {
    if (this.#scheduled || this.#running !== null) return;
    this.#scheduled = true;
    setImmediate(this.#runScheduled);
  }

  readonly #runScheduled = (): void => {
    this.#scheduled = false;
    this.#flush();
  };

  #flush(): void {
    if (this.#running !== null || this.#holders > 0 || this.#pending.length === 0) return;
    const group = this.#takeGroup();
    try {
      const { taken, results } = this.#commit(group);
      if (taken < group.length) this.#pending.unshift(...group.splice(taken));
      if (results instanceof Promise) this.#answerWhen(results, group);
      else answerAll(group, results);
    } catch (error) {
      this.#fail(group, error);
    }
    if (this.#pending.length > 0) this.#schedule();
  }

  #takeGroup(): Pending[] {
    if (this.#pending.length > MAX_GROUP) return this.#pending.splice(0, MAX_GROUP);
    const all = this.#pending;
    this.#pending = [];
    return all;
  }

  #fail(group: readonly Pending[], error: unknown): void {
    const again = this.#isBeingMended(error) ? group.filter((one) => !one.isSecondAttempt) : [];
    this.#pending.unshift(...again.map((one) => ({ ...one, isSecondAttempt: true })));
    rejectAll(
      group.filter((one) => !again.includes(one)),
      error,
    );
  }

  #answerWhen(durable: Promise<unknown[]>, group: readonly Pending[]): void {
    const answered = durable.then(
      (results) => answerAll(group, results),
      (error) => this.#fail(group, error),
    );
    this.#running = answered.finally(() => {
      this.#running = null;
      this.#flush();
    });
  }
}

function answerAll(group: readonly Pending[], results: readonly unknown[]): void {
  group.forEach(({ resolve, reject }, index) => {
    const result = results[index];
    if (result instanceof Refused) reject(result.error);
    else resolve(result as never);
  });
}

function rejectAll(group: readonly Pending[], error: unknown): void {
  for (const { reject } of group) reject(error);
}
