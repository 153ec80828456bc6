// Why the last group of changes could not be written, until one can: what health tells. It is logged when that begins
// and when it ends.
import type { Logger } from "../lib/logger.ts";
import { asStoreError } from "./errors.ts";
import type { StoreError } from "./store.ts";

export class LastFailure {
  readonly #logger: Logger;
  #error: StoreError | null = null;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  get error(): StoreError | null {
    return this.#error;
  }

  failed(error: unknown): void {
    const isFirst = this.#error === null;
    this.#error = asStoreError(error);
    const { message, cause } = this.#error;
    if (!isFirst) return;
    this.#logger.error("store_failing", {
      reason: message,
      cause: cause === undefined ? undefined : String(cause),
    });
  }

  wrote(): void {
    if (this.#error === null) return;
    this.#error = null;
    this.#logger.info("store_works_again");
  }
}
