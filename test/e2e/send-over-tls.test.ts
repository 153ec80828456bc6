import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { connect, type Inbox } from "../../src/client/index.ts";
import { tempFolder } from "../support/folders.ts";
import { type Running, runMailkeep, startMailkeep } from "../support/mailkeep.ts";

const { path: folder, remove } = tempFolder();
let server: Running;
let inbox: Inbox;
beforeAll(async () => {
  const args = ["--smtp-tls=self-signed", "--smtp-tls-required", "--smtps-port=0"];
  server = await startMailkeep({ args: [...args, "--smtp-auth=me:secret", "--smtp-auth-required"] });
  inbox = connect({ url: server.http, since: "all" });
});
afterEach(() => inbox.clear());
afterAll(async () => {
  await server.stop();
  remove();
});

test("info names the port that speaks TLS from the start", async () => {
  const info = await (await fetch(`${server.http}/api/v1/info`)).json();
  expect(info).toMatchObject({ smtps: { host: "127.0.0.1", port: server.smtpsPort } });
});

const WAYS: readonly (readonly [string, () => string])[] = [
  ["STARTTLS, by name", () => `smtp://me:secret@localhost:${server.smtpPort}`],
  ["STARTTLS, by address", () => `smtp://me:secret@127.0.0.1:${server.smtpPort}`],
  ["TLS from the start, by name", () => `smtps://me:secret@localhost:${server.smtpsPort}`],
  ["TLS from the start, by address", () => `smtps://me:secret@127.0.0.1:${server.smtpsPort}`],
];

const large = `To: a@x.test\r\n\r\n${`${"x".repeat(98)}\r\n`.repeat(50_000)}`;

test.each(WAYS)("send and import keep every byte by %s", async (_way, target) => {
  const smtp = target();
  const sent = await runMailkeep(["send", "--smtp", smtp, "a@x.test"], { input: large });
  expect(sent).toEqual({ code: 0, out: "", err: "" });
  const path = join(folder, "mail.eml");
  await Bun.write(path, large);
  const imported = await runMailkeep(["import", "--smtp", smtp, path, path]);
  expect(imported).toMatchObject({ code: 0, out: expect.stringMatching(/^2 mails imported/) });
  const mails = await inbox.list();
  expect(mails).toHaveLength(3);
  for (const { id } of mails) expect(Buffer.from(await inbox.raw(id)).toString() === large).toBe(true);
});

test("the error for smtps:// names a server that does not begin with TLS", async () => {
  const smtp = `localhost:${server.smtpPort}`;
  expect(await runMailkeep(["send", "--smtp", `smtps://${smtp}`, "a@x.test"], { input: "x" })).toEqual({
    code: 69,
    out: "",
    err: `mailkeep: ${smtp}: the server answers without TLS (smtps:// starts with TLS, smtp:// uses STARTTLS)\n`,
  });
});
