// `import { expect, test } from "mailkeep/playwright"`: each test has an address of its own, and an inbox of its mail.
import {
  test as base,
  type PlaywrightTestArgs,
  type PlaywrightTestOptions,
  type PlaywrightWorkerArgs,
  type PlaywrightWorkerOptions,
  type TestType,
} from "@playwright/test";
import { connect, type Inbox } from "./index.ts";

export { expect } from "@playwright/test";

export interface MailFixtures {
  /** Of this test alone. */
  readonly address: string;
  /** Sees only what is sent to the test's address. */
  readonly inbox: Inbox;
}

export const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & MailFixtures,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions
> = base.extend<MailFixtures>({
  address: ({ browserName }, use) => use(`${browserName}-${crypto.randomUUID()}@example.com`),
  inbox: ({ address }, use) => use(connect().only({ to: address })),
});
