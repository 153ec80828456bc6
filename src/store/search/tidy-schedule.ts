// When the text index is tidied or merged: some time after it was changed, a step at a time, with pauses in which
// whatever has arrived has its turn.
import { isDiskFull } from "../errors.ts";
import type { TidyStep } from "./tidying.ts";

export interface TidyScheduleOptions {
  /** Changes gather for so long. */
  readonly afterMs: number;
  /** Null when it is not worth it. */
  readonly start: () => TidyStep | null;
  /** Makes the index ready for a step; false when there is no room for tidying. */
  readonly prepare: () => boolean;
  /** Runs what the timer is set for. */
  readonly run: (act: () => void) => void;
}

/** Three times as long as a step takes: a search seldom meets one. */
const PAUSE_MS = 20;

export class TidySchedule {
  readonly #options: TidyScheduleOptions;
  #timer: Timer | null = null;

  constructor(options: TidyScheduleOptions) {
    this.#options = options;
  }

  /** Something was changed. */
  plan(): void {
    this.#timer ??= this.#in(this.#options.afterMs, () => {
      const step = this.#options.start();
      if (step !== null) this.#tidy(step);
    });
  }

  /** As `plan`, but nothing is to be done before there has been no change for a while. */
  planAnew(): void {
    this.stop();
    this.plan();
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
    if (!isDiskFull(error)) throw error;
    return false;
  }
}
