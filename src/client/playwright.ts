// `import { expect, test } from "mailkeep/playwright"`: each test has its own inbox and address.
import {
  test as base,
  type PlaywrightTestArgs,
  type PlaywrightTestOptions,
  type PlaywrightWorkerArgs,
  type PlaywrightWorkerOptions,
  type TestInfo,
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
  readonly mailOfTest: MailFixtures;
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

/** The newest mails, because the report of a failed test needs them after the inbox is gone. */
async function attachMails(inbox: Inbox, testInfo: TestInfo): Promise<void> {
  for (const { id, subject } of await inbox.list({}, { limit: MAX_ATTACHED })) {
    const body = Buffer.from(await inbox.raw(id));
    await testInfo.attach(`${subject}.eml`, { body, contentType: "message/rfc822" });
  }
}

export const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & MailFixtures,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions
> = base.extend<MailFixtures & OwnFixtures>({
  mailOfTest: async ({ browserName }, use, testInfo) => {
    const own = await tryToCreate();
    const address = own?.address ?? `${browserName}-${crypto.randomUUID()}@example.com`;
    const inbox = own ?? connect().only({ to: address });
    await use({ address, inbox });
    try {
      if (testInfo.status !== testInfo.expectedStatus) await attachMails(inbox, testInfo);
    } finally {
      await own?.remove();
    }
  },
  address: ({ mailOfTest }, use) => use(mailOfTest.address),
  inbox: ({ mailOfTest }, use) => use(mailOfTest.inbox),
});
