// What the fixtures of `mailkeep/playwright` do in a real run. No test opens a browser.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { connect } from "../../src/client/index.ts";
import { type Mailkeep, startMailkeep } from "../http/support/mailkeep.ts";
import { clientProject, RUNNERS, runIn } from "../support/client-project.ts";

let mailkeep: Mailkeep;
let project: string;
beforeAll(async () => {
  mailkeep = await startMailkeep();
  project = await clientProject();
});
afterAll(async () => {
  await mailkeep.stop();
  await rm(project, { recursive: true });
});

/** The token may not create inboxes, so the tests with it share one. */
const TESTS = `import { expect, test } from "mailkeep/playwright";
for (const token of ["", process.env.TOKEN_OF_INBOX]) {
  test.describe(token ? "shared" : "own", () => {
    test.beforeAll(() => {
      process.env.MAILKEEP_TOKEN = token;
    });
    test.beforeEach(async ({ address, inbox }) => {
      const mail = { from: "app@example.com", to: [address], subject: "Welcome", text: "Hello." };
      await inbox.fetch("/api/v1/send", { method: "POST", body: JSON.stringify(mail) });
    });
    test("passes", () => {});
    test("toReceive", async ({ address, inbox }) => {
      await expect(inbox).toReceive({ to: address, subject: "Welcome" });
      await expect(inbox).not.toReceive({ subject: "Reset" }, { timeout: "50ms" });
      const missing = expect(inbox).toReceive({ subject: "Reset" }, { timeout: "0s" });
      await expect(missing).rejects.toThrow('with a subject containing "Reset" came');
    });
    test("fails", () => expect(1).toBe(2));
    test("fails as expected", () => {
      test.fail();
      expect(1).toBe(2);
    });
  });
}
`;

interface Suite {
  readonly title: string;
  readonly suites?: readonly Suite[];
  readonly specs: readonly {
    readonly title: string;
    readonly ok: boolean;
    readonly tests: readonly {
      readonly results: readonly { readonly attachments: readonly Attachment[] }[];
    }[];
  }[];
}
interface Attachment {
  readonly name: string;
  readonly contentType: string;
  /** In base64. */
  readonly body: string;
}

/** Each test that has mails as attachments, with their names and texts. */
const attachedMails = ({ title: suite, suites = [], specs }: Suite): string[] => [
  ...suites.flatMap(attachedMails),
  ...specs.flatMap(({ title, tests }) =>
    tests
      .flatMap(({ results }) => results.flatMap(({ attachments }) => attachments))
      .filter(({ contentType }) => contentType === "message/rfc822")
      .map(({ name, body }) => `${suite}, ${title}: ${name}\n${atob(body)}`),
  ),
];

const specsOf = ({ suites = [], specs }: Suite): Suite["specs"] => [...suites.flatMap(specsOf), ...specs];

describe.skipIf(!Bun.which("node"))("with mailkeep/playwright", () => {
  let suites: readonly Suite[];
  beforeAll(async () => {
    const { token } = await connect(mailkeep.url).createInbox();
    const { file, command } = RUNNERS.Playwright;
    await Bun.write(join(project, file), TESTS);
    const environment = { MAILKEEP_URL: mailkeep.url, TOKEN_OF_INBOX: token };
    const { out } = await runIn(project, [...command, "--reporter=json", file], environment);
    suites = JSON.parse(out).suites;
  });

  test("only a failed test has its mails as attachments", () => {
    expect(suites.flatMap(attachedMails)).toEqual([
      expect.stringMatching(/^own, fails: Welcome\.eml\n[\s\S]*\r\nSubject: Welcome\r\n[\s\S]*Hello\./),
      expect.stringMatching(/^shared, fails: Welcome\.eml\n/),
    ]);
  });

  test("expect has toReceive", () => {
    const specs = suites.flatMap(specsOf).filter(({ title }) => title === "toReceive");
    expect(specs.map(({ ok }) => ok)).toEqual([true, true]);
  });
});
