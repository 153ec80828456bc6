// When the text index is tidied: some time after messages were removed, a step at a time, with pauses in which
// whatever has arrived has its turn.
import { asStoreError } from "../errors.ts";
import type { TidyStep } from "./tidying.ts";

export interface TidyScheduleOptions {
  /** Null when it is not worth it. */
  readonly start: () => TidyStep | null;
  /** Makes the index ready for a step; false when there is no room for tidying. */
  readonly prepare: () => boolean;
  /** Runs what the timer is set for. */
  readonly run: (act: () => void) => void;
}

/** Removals gather before the index is tidied. */
const TIDY_AFTER_MS = 1000;
const PAUSE_MS = 5;

export class TidySchedule {
  readonly #options: TidyScheduleOptions;
  #timer: Timer | null = null;

  constructor(options: TidyScheduleOptions) {
    this.#options = options;
  }

  /** Something was removed. */
  plan(): void {
    this.#timer ??= this.#in(TIDY_AFTER_MS, () => {
      const step = this.#options.start();
      if (step !== null) this.#tidy(step);
    });
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #tidy(step: TidyStep): void {
    if (!this.#options.prepare()) return;
    if (isThereMore(step)) this.#timer = this.#in(PAUSE_MS, () => this.#tidy(step));
  }

  #in(ms: number, act: () => void): Timer {
    return setTimeout(() => {
      this.#timer = null;
      this.#options.run(act);
    }, ms);
  }
}

/** A full disk has no room to tidy up: the index is as good as before. */
function isThereMore(step: TidyStep): boolean {
  try {
    return step() === "more";
  } catch (error) {
    if (asStoreError(error).code !== "disk_full") throw error;
    return false;
  }
}
