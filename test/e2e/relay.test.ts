// One Mailkeep relays to another: by rules when mail arrives, on request, and after kill -9.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { freePort } from "../../scripts/postgres.ts";
import { useFolders } from "../support/folders.ts";
import { listAll, total } from "../support/mailbox.ts";
import { runMailkeep, startMailkeep } from "../support/mailkeep.ts";
import { deliver } from "../support/smtp-client.ts";
import { until } from "../support/until.ts";

const freshFolder = useFolders();
const mail = (subject: string, to: string) => ({ to: [to], raw: `Subject: ${subject}\r\n\r\nbody\r\n` });

const relayOf = async (http: string, id: string) =>
  (await fetch(`${http}/api/v1/messages/${id}/relay`)).json() as Promise<Record<string, unknown>>;

const release = (http: string, id: string, body: object) =>
  fetch(`${http}/api/v1/messages/${id}/release`, { method: "POST", body: JSON.stringify(body) });

test("new mail that the rules allow is relayed, and waiting mail survives kill -9", async () => {
  const folder = freshFolder();
  const start = (port: number) =>
    startMailkeep({
      dataDir: join(folder, "data"),
      args: [
        `--relay=smtp://user:secret@127.0.0.1:${port}?tls=none`,
        "--relay-allow=*@example.com",
        "--relay-deny=boss@*",
        "--relay-filter=subject=order",
        "--fault-addresses",
      ],
    });
  const port = freePort();
  let waiting = "";
  {
    await using server = await start(port);
    waiting = await deliver(server.smtpPort, mail("order 1", "ann@example.com"));
    await server.line((line) => line.includes('"relay fails"'));
    expect(await relayOf(server.http, waiting)).toMatchObject({ status: "waiting", tries: 1 });
  }
  await using again = await startMailkeep({ args: [`--smtp-port=${port}`] });
  await using server = await start(port);
  for (const [subject, to] of [
    ["other", "ann@example.com"],
    ["order 2", "boss@example.com"],
    ["order 3", "ann@elsewhere.test"],
    ["order 4", "bounce+5.1.1@example.com"],
    ["order 5", "bob@example.com"],
  ] as const)
    await deliver(server.smtpPort, mail(subject, to));
  await until(async () => (await total(again.http)) === 2, "both mails");
  expect((await listAll(again.http)).map(({ subject }) => subject)).toEqual(["order 5", "order 1"]);
  expect(await relayOf(server.http, waiting)).toMatchObject({
    status: "relayed",
    accepted: ["ann@example.com"],
    rejected: [],
  });
  expect(server.lines.join("\n")).not.toContain("secret");
});

test("with --relay alone nothing is sent on until it is released", async () => {
  await using target = await startMailkeep();
  await using server = await startMailkeep({ args: [`--relay=smtp://127.0.0.1:${target.smtpPort}`] });
  const id = await deliver(server.smtpPort, mail("one", "ann@example.com"));
  expect(await relayOf(server.http, id)).toMatchObject({ status: "off" });
  const answer = await release(server.http, id, {});
  expect(await answer.json()).toMatchObject({
    host: "127.0.0.1",
    port: target.smtpPort,
    accepted: ["ann@example.com"],
  });
  expect(await total(target.http)).toBe(1);
  expect((await release(server.http, id, { port: 25 })).status).toBe(400);
});

test("a release never goes to recipients that the relay's rules deny, under any name of its server", async () => {
  await using target = await startMailkeep();
  await using server = await startMailkeep({
    args: [`--relay=smtp://127.0.0.1:${target.smtpPort}`, "--relay-deny=*@customer.test"],
  });
  const id = await deliver(server.smtpPort, mail("one", "ann@example.com"));
  const port = target.smtpPort;
  for (const named of [{}, { host: "127.0.0.1", port }, { host: "localhost", port }]) {
    const answer = await release(server.http, id, { ...named, to: ["ann@example.com", "x@Customer.test"] });
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ code: "release_forbidden" });
  }
  expect(await total(target.http)).toBe(0);
});

test.each([
  [["--relay-allow=*"], "--relay-allow needs --relay"],
  [
    ["--relay=smtp://a.test", "--relay-filter=tag=a"],
    "--relay-filter needs --relay-allow; use --relay-allow '*' for all recipients",
  ],
  [
    ["--relay=smtp://a.test", "--relay-allow=*", "--relay-filter=tga=a"],
    'There is no parameter "tga" here; did you mean tag?',
  ],
  [
    ["--relay=smtp://a.test", "--relay-allow=*", "--relay-filter=q=-form:boss"],
    "--relay-filter: -form: is not a search operator, so it was searched for as text; did you mean from:?",
  ],
  [
    ["--relay=smtp://a.test", "--relay-allow=*", "--relay-filter=subject="],
    "--relay-filter: subject matches every mail: give it a value or leave it out",
  ],
  [["--relay=smtp://me:25#secret@a.test"], "--relay: the value is not valid"],
  [["--relay=smtp://a.test?verify=true"], "--relay: the value is not valid"],
  [["--relay=smtp://a.test", "--no-release"], "cannot be combined"],
])("%j is refused at start", async (args, sentence) => {
  const { code, err } = await runMailkeep([
    "serve",
    "--ephemeral",
    "--smtp-port=0",
    "--http-port=0",
    ...args,
  ]);
  expect(code).toBe(2);
  expect(err).toContain(sentence);
});
