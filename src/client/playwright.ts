// `import { expect, test } from "mailkeep/playwright"`: each test has its own inbox and address.
import {
  test as base,
  expect as baseExpect,
  type Expect,
  type PlaywrightTestArgs,
  type PlaywrightTestOptions,
  type PlaywrightWorkerArgs,
  type PlaywrightWorkerOptions,
  type TestType,
} from "@playwright/test";
import { connect, type Inbox, MailkeepError, type OwnInbox } from "./index.ts";
import { matchers } from "./matchers.ts";

export const expect: Expect<typeof matchers> = baseExpect.extend(matchers);

export interface MailFixtures {
  /** Used only by this test. */
  readonly address: string;
  /** Sees only mail to `address`, and mail sent with the login of the test's own inbox. */
  readonly inbox: Inbox;
}

const MAX_ATTACHED = 20;

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
> = base.extend<MailFixtures & { mailOfTest: MailFixtures }>({
  mailOfTest: async ({ browserName }, use, testInfo) => {
    const own = await tryToCreate();
    const address = own?.address ?? `${browserName}-${crypto.randomUUID()}@example.com`;
    const inbox = own ?? connect().only({ to: address });
    await use({ address, inbox });
    // Without its mail, nobody sees why a test failed.
    const hasFailed = testInfo.status !== testInfo.expectedStatus;
    for (const { id, subject } of hasFailed ? await inbox.list({}, { limit: MAX_ATTACHED }) : []) {
      const body = Buffer.from(await inbox.raw(id));
      await testInfo.attach(`${subject}.eml`, { body, contentType: "message/rfc822" });
    }
    await own?.remove();
  },
  address: ({ mailOfTest }, use) => use(mailOfTest.address),
  inbox: ({ mailOfTest }, use) => use(mailOfTest.inbox),
});
