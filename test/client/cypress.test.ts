// Runs the client's Cypress command in a small imitation, because Cypress is a large download.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { MailContent, MailFilter } from "../../src/client/index.ts";

interface Request {
  readonly url: string;
  readonly failOnStatusCode: boolean;
  readonly timeout: number;
}
type Command = (filter?: MailFilter, options?: { timeout?: string }) => PromiseLike<MailContent>;

let waitForMail: Command;
let beginTest: () => void;
let asked: string[];
let timeouts: number[];
let answers: Record<string, unknown>;

const ID = "01JCMZ5T0GQ3V4W5X6Y7Z8A9BC";
const summary = { id: ID, subject: "Confirm", sender: "shop@x.test", recipients: ["ann@x.test"] };

const added = {
  Cypress: {
    env: (name: string) => (name === "MAILKEEP_URL" ? "http://mail.test/" : undefined),
    Commands: {
      add: (_name: string, command: Command) => {
        waitForMail = command;
      },
    },
  },
  cy: {
    async request({ url, failOnStatusCode, timeout }: Request) {
      timeouts.push(timeout);
      asked.push(url.replace("http://mail.test/api/v1", ""));
      const body = answers[new URL(url).pathname.replace("/api/v1", "")];
      const status = body === undefined ? 404 : 200;
      if (failOnStatusCode && status !== 200) throw new Error(`404 at ${url}`);
      return { status, body, headers: {} };
    },
  },
  beforeEach: (hook: () => void) => {
    beginTest = hook;
  },
};

beforeAll(async () => {
  Object.assign(globalThis, { Cypress: added.Cypress, cy: added.cy, beforeEach: added.beforeEach });
  await import("../../src/client/cypress.ts");
});
afterAll(() => {
  for (const name of Object.keys(added)) Reflect.deleteProperty(globalThis, name);
});

beforeEach(async () => {
  asked = [];
  timeouts = [];
  answers = {
    "/info": { time: "2026-11-14T10:00:00.000Z" },
    "/messages/wait": { ...summary, text_body: "Go", html_body: "" },
    [`/messages/${ID}/headers`]: { headers: [{ name: "Message-ID", value: "<1@x.test>" }] },
    [`/messages/${ID}/links`]: { links: [{ url: "https://x.test/confirm" }] },
    [`/messages/${ID}/codes`]: { codes: [{ code: "482913" }] },
  };
  beginTest();
});

describe("cy.waitForMail", () => {
  test("yields the mail of this test with its code and links", async () => {
    const mail = await waitForMail({ to: "ann@x.test" });
    expect(asked[1]).toBe("/messages/wait?to=ann%40x.test&since=2026-11-14T10%3A00%3A00.000Z&timeout=4s");
    expect(mail).toMatchObject({ subject: "Confirm", text: "Go", code: "482913", messageId: "<1@x.test>" });
    expect(mail.links[0]?.url).toBe("https://x.test/confirm");
  });

  test("sees older mail if `since` says so", async () => {
    await waitForMail({ to: "ann@x.test", since: "all" }, { timeout: "10s" });
    expect(asked[1]).toBe("/messages/wait?to=ann%40x.test&timeout=10s");
  });

  test("turns a span into a time, because the API takes none", async () => {
    await waitForMail({ since: "10m" });
    expect(asked[1]).toContain("since=2026-11-14T09%3A50%3A00.000Z");
  });

  test("lets Cypress wait for the answer until the wait has ended", async () => {
    await waitForMail({}, { timeout: "2m" });
    expect(timeouts[1]).toBeGreaterThan(120_000);
  });

  test("names the mails that came instead", async () => {
    answers["/messages/wait"] = {
      error: "No.",
      code: "timeout",
      waited_ms: 4000,
      near_misses: [{ message: summary, missed_by: ["to"] }],
    };
    expect(async () => waitForMail({ to: "bo@x.test" })).toThrow(
      `No mail to bo@x.test came within 4 s.\nThe newest mails that did not match:\n  "Confirm" from shop@x.test to ann@x.test (does not match: the envelope's recipients)`,
    );
  });

  test("passes on the server's sentence if the server refuses the request", async () => {
    answers["/messages/wait"] = { error: "Parameter timeout must be …", code: "invalid_parameter" };
    expect(async () => waitForMail({}, { timeout: "1y" })).toThrow("Parameter timeout must be …");
  });
});
