// `import { expect, test } from "mailkeep/playwright"`: each test has its own inbox and address.
import {
  test as base,
  type PlaywrightTestArgs,
  type PlaywrightTestOptions,
  type PlaywrightWorkerArgs,
  type PlaywrightWorkerOptions,
  type TestType,
} from "@playwright/test";
import { connect, type Inbox, MailkeepError, type OwnInbox } from "./index.ts";

export { expect } from "@playwright/test";

export interface MailFixtures {
  /** Used only by this test. */
  readonly address: string;
  /** Sees only mail to `address`, and mail sent with the login of the test's own inbox. */
  readonly inbox: Inbox;
}

interface OwnFixtures {
  readonly ownInbox: OwnInbox | null;
}

/** Null if the token may not create inboxes. `mailkeep run` may give the token of one inbox. */
const tryToCreate = (): Promise<OwnInbox | null> =>
  connect()
    .createInbox()
    .catch((error) => {
      if (error instanceof MailkeepError && error.code === "forbidden") return null;
      throw error;
    });

export const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & MailFixtures,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions
> = base.extend<MailFixtures & OwnFixtures>({
  ownInbox: async ({ browserName: _ }, use) => {
    const own = await tryToCreate();
    await use(own);
    await own?.remove();
  },
  address: ({ ownInbox, browserName }, use) =>
    use(ownInbox?.address ?? `${browserName}-${crypto.randomUUID()}@example.com`),
  inbox: ({ ownInbox, address }, use) => use(ownInbox ?? connect().only({ to: address })),
});
