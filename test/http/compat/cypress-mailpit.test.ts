// Every command of `cypress-mailpit` from npm, unchanged. A replacement for Cypress (`cy.request`, `cy.wrap`,
// `cy.wait`, `cy.env`) makes the same requests.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { VerifyUser } from "../../../src/http/index.ts";
import { type Mailkeep, mail, startMailkeep } from "../support/mailkeep.ts";

interface RequestOptions {
  readonly method: string;
  readonly url: string;
  readonly qs?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
  readonly auth?: { readonly user: string; readonly pass: string };
}

/** Like `cy.request`: JSON both ways, and a status of 400 or more fails. */
async function request({ method, url, qs = {}, body, auth }: RequestOptions) {
  const target = new URL(url);
  for (const [name, value] of Object.entries(qs)) target.searchParams.set(name, String(value));
  const answer = await fetch(target, {
    method,
    headers: {
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(auth && { authorization: `Basic ${btoa(`${auth.user}:${auth.pass}`)}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${url} failed with ${answer.status}: ${text}`);
  const isJson = answer.headers.get("content-type")?.startsWith("application/json");
  return { status: answer.status, body: isJson ? JSON.parse(text) : text };
}

let mailkeep: Mailkeep;
// biome-ignore lint/suspicious/noExplicitAny: the commands return values of any shape
type Command = (...given: any[]) => Promise<any>;
const commands = new Map<string, Command>();

const run: Command = (name: string, ...given) => {
  const command = commands.get(name);
  if (!command) throw new Error(`cypress-mailpit has no command ${name}`);
  unused.delete(name);
  return command(...given);
};
const unused = new Set<string>();

beforeAll(async () => {
  const users: VerifyUser = async (user, password) =>
    user === "ann" && password === "secret" ? "write" : null;
  mailkeep = await startMailkeep({ http: { access: { allowedHosts: [], corsOrigins: [], users } } });
  const cy = {
    request,
    wrap: (value: unknown) => Promise.resolve(value),
    wait: () => new Promise((resolve) => setImmediate(resolve)),
    env: () => Promise.resolve({ MAILPIT_USERNAME: "ann", MAILPIT_PASSWORD: "secret" }),
  };
  const Cypress = {
    expose: () => `${mailkeep.url}/compat/mailpit`,
    config: () => 20_000,
    Commands: {
      add: (name: string, _: object, command: Command) => {
        commands.set(name, command);
        unused.add(name);
      },
    },
  };
  Object.assign(globalThis, { cy, Cypress });
  await import("cypress-mailpit/dist/index.js");
});
afterAll(async () => {
  await mailkeep.stop();
  Reflect.deleteProperty(globalThis, "cy");
  Reflect.deleteProperty(globalThis, "Cypress");
});

test("every command works", async () => {
  await run("mailpitDeleteAllEmails");
  const arrives = run("mailpitHasEmailsBySubject", "Mailpit", 0, 50, { interval: 1 });
  const { ID } = await run("mailpitSendMail", {
    attachments: [{ Content: btoa("hello"), Filename: "hello.txt", ContentType: "text/plain" }],
  });
  expect((await arrives).messages_count).toBe(1);
  await mailkeep.receive(mail("Other", "Nothing.", ["To: other@example.com"]));

  expect((await run("mailpitGetAllMails")).messages).toHaveLength(2);
  expect((await run("mailpitGetEmailsBySubject", "Hello")).messages).toHaveLength(1);
  expect((await run("mailpitGetEmailsByTo", "jane@example.com")).messages).toHaveLength(1);
  expect((await run("mailpitSearchEmails", "to:other@example.com")).messages).toHaveLength(1);
  expect((await run("mailpitHasEmailsByTo", "jane@example.com")).messages_count).toBe(1);
  expect((await run("mailpitHasEmailsBySearch", "hello")).messages_count).toBe(1);
  expect((await run("mailpitNotHasEmailsBySubject", "absent")).messages_count).toBe(0);
  expect((await run("mailpitNotHasEmailsByTo", "absent@example.com")).messages_count).toBe(0);
  expect((await run("mailpitNotHasEmailsBySearch", "absent")).messages_count).toBe(0);

  const message = await run("mailpitGetMail", ID);
  expect(await run("mailpitGetSubject", message)).toBe("Hello Mailpit");
  expect(await run("mailpitGetFromAddress", message)).toBe("from@example.com");
  expect(await run("mailpitGetRecipientAddress", message)).toEqual(["jane@example.com"]);
  expect(await run("mailpitGetAttachments", message)).toEqual(["hello.txt"]);
  expect(await run("mailpitGetMailHTMlBody", message)).toContain("<p>hello from mailpit</p>");
  expect(await run("mailpitGetMailTextBody", message)).toContain("hello from mailpit");
  expect(await run("mailpitGetMailSpamAssassinSummary", message)).toMatchObject({ IsSpam: false });
  expect(await run("mailpitGetMailSpamAssainSummary", message)).toMatchObject({ IsSpam: false });

  const unread = async () => (await run("mailpitGetAllMails")).unread;
  await run("mailpitSetAllEmailStatusAsRead");
  expect(await unread()).toBe(0);
  await run("mailpitSetAllEmailStatusAsUnRead");
  expect(await unread()).toBe(2);
  await run("mailpitSetStatusAsRead", message);
  expect(await unread()).toBe(1);
  await run("mailpitSetStatusAsUnRead", [message]);
  expect(await unread()).toBe(2);

  await run("mailpitDeleteEmailsBySearch", "subject:Hello");
  expect(
    (await run("mailpitGetAllMails")).messages.map(({ Subject }: { Subject: string }) => Subject),
  ).toEqual(["Other"]);
  expect([...unused]).toEqual([]);
});
