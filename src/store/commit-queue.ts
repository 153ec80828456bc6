// Group commit: mails that arrive in one turn of the event loop are written together. A change or a
// deletion is a group of its own, because it reads rows that earlier operations may change.
import type { NewRecord } from "./log/log.ts";
import type { StoreChange } from "./store.ts";

export interface Operation {
  /** True if the operation does not depend on earlier operations. */
  readonly isInsert: boolean;
  /** Returns null if there is nothing to change. Throws if the operation is refused. */
  readonly plan: (seq: number) => NewRecord | null;
  readonly answer: (change: StoreChange | null) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes a group and answers its operations. Returns null if the group is written already,
 * otherwise a promise that never rejects. The next group waits for this promise.
 */
type CommitGroup = (group: readonly Operation[]) => Promise<void> | null;

/** The most mails in a group. This limits the buffer into which a group is written. */
const MAX_GROUP = 128;

export class CommitQueue {
  readonly #commit: CommitGroup;
  #pending: Operation[] = [];
  #running: Promise<void> | null = null;

  constructor(commit: CommitGroup) {
    this.#commit = commit;
  }

  push(operation: Operation): void {
    const isFirst = this.#pending.push(operation) === 1;
    if (isFirst && this.#running === null) setImmediate(this.#flush);
  }

  /** Runs a synchronous function while no group is being written. */
  async between<Result>(run: () => Result): Promise<Result> {
    while (this.#running !== null) await this.#running;
    return run();
  }

  async drain(): Promise<void> {
    while (this.#pending.length > 0 || this.#running !== null) {
      this.#flush();
      await this.#running;
    }
  }

  readonly #flush = (): void => {
    while (this.#running === null && this.#pending.length > 0) {
      const running = this.#commit(this.#takeGroup());
      if (running === null) continue;
      this.#running = running.then(() => {
        this.#running = null;
        this.#flush();
      });
    }
  };

  #takeGroup(): Operation[] {
    let count = 0;
    while (count < MAX_GROUP && this.#pending[count]?.isInsert) count++;
    return this.#pending.splice(0, Math.max(1, count));
  }
}
