// `await expect(inbox).toReceive({ to, subject })`, for test runners that have Jest's `expect.extend`.
import type { Inbox, MailFilter, WaitOptions } from "./index.ts";

/** How long `expect(inbox).not.toReceive(…)` watches by default. */
const QUIET = "1s";

export interface MailMatchers<Result> {
  /**
   * Waits for a matching mail, by default 4 s. With `not`, no such mail may be there or arrive, by
   * default for 1 s.
   */
  toReceive(filter?: MailFilter, options?: WaitOptions): Result;
}

interface Verdict {
  readonly pass: boolean;
  message(): string;
}

const isInbox = (received: unknown): received is Inbox => typeof Object(received).waitFor === "function";

async function toReceive(
  this: { readonly isNot?: boolean },
  received: unknown,
  filter: MailFilter = {},
  options: WaitOptions = {},
): Promise<Verdict> {
  const isNot = this.isNot ?? false;
  const { timeout: settle = QUIET, ...rest } = options;
  try {
    if (!isInbox(received)) throw new TypeError("toReceive() is for an inbox, such as expect(connect())");
    if (isNot) await received.expectCount(filter, { ...rest, exactly: 0, settle });
    else await received.waitFor(filter, options);
    return { pass: !isNot, message: () => "" };
  } catch (error) {
    // Every error becomes a message, because Bun hides the reason of a rejected promise.
    return { pass: isNot, message: () => (error instanceof Error ? error.message : String(error)) };
  }
}

export const matchers = { toReceive };
