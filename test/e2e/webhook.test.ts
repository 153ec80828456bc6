// Webhooks as receivers see them, and receivers that hang or answer without end.
import { afterEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { useFolders } from "../support/folders.ts";
import { startMailkeep } from "../support/mailkeep.ts";
import { deliver } from "../support/smtp-client.ts";
import { until } from "../support/until.ts";
import { type Answer, hang, startWebhookReceiver, subjectsOf } from "../support/webhook-receiver.ts";
import { total } from "./faults/support/mailbox.ts";
import { canMeasure, descriptorsOf, residentMiB } from "./faults/support/resources.ts";

const freshFolder = useFolders();

interface State {
  readonly origin: string;
  readonly waiting: number;
  readonly delivered: number;
  readonly failed: number;
  readonly skipped: number;
}

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function startReceiver(answer?: Answer) {
  const receiver = startWebhookReceiver(answer);
  closers.push(receiver.stop);
  return receiver;
}

const stateOf = async (http: string): Promise<State> => {
  const { webhooks } = (await (await fetch(`${http}/api/v1/webhooks`)).json()) as { webhooks: State[] };
  return webhooks[0] as State;
};

const mail = (subject: string) => ({ raw: `Subject: ${subject}\r\n\r\nbody\r\n` });
const linesOf = ({ lines }: { lines: string[] }) => lines.filter((line) => line.includes('"webhook'));
test("a new mail is posted once, as the very frame of the WebSocket", async () => {
  const { notices, url } = startReceiver();
  await using server = await startMailkeep({ args: ["--webhook", `${url}/hook?a=b`] });
  const frames: string[] = [];
  const socket = new WebSocket(`${server.http.replace("http", "ws")}/api/v1/ws`);
  socket.onmessage = ({ data }) => void frames.push(data);
  await new Promise((resolve) => {
    socket.onopen = resolve;
  });
  const id = await deliver(server.smtpPort, mail("=?utf-8?q?Gr=C3=BC=C3=9Fe?="));
  await fetch(`${server.http}/api/v1/messages/${id}`, { method: "PATCH", body: '{"is_read":true}' });
  await fetch(`${server.http}/api/v1/messages/${id}`, { method: "DELETE" });
  await until(() => notices.length === 1 && frames.length === 3, "the notice and three frames");
  socket.close();
  const [notice] = notices;
  expect(notice?.body).toBe(frames[0] as string);
  expect(JSON.parse(notice?.body ?? "")).toMatchObject({
    type: "message:new",
    data: { id, subject: "Grüße" },
  });
  expect(notice).toMatchObject({ method: "POST", path: "/hook?a=b" });
  expect(notice?.headers["content-type"]).toBe("application/json");
  expect(notice?.headers["user-agent"]).toMatch(/^mailkeep\/\d+\.\d+\.\d+/);
  await until(async () => (await stateOf(server.http)).delivered === 1, "it to be counted");
  expect(await stateOf(server.http)).toMatchObject({ origin: url, waiting: 0, delivered: 1, failed: 0 });
  await server.stop();
  expect(notices).toHaveLength(1);
});

test("without a webhook the server says so", async () => {
  await using server = await startMailkeep();
  expect(await stateOf(server.http)).toBeUndefined();
});

test("a misspelt operator in a filter was said to nobody", async () => {
  const config = join(freshFolder(), "mailkeep.toml");
  writeFileSync(config, '[[webhook]]\nurl = "http://127.0.0.1:1"\nfilter = { q = "form:shop" }\n');
  const relay = ["--relay=smtp://127.0.0.1:1", "--relay-allow=*", "--relay-filter=q=subjct:x"];
  await using server = await startMailkeep({ args: ["--config", config, ...relay] });
  await server.line((line) => line.includes("webhook filter") && line.includes("did you mean from:?"));
  await server.line((line) => line.includes("relay filter") && line.includes("did you mean subject:?"));
});

describe("a webhook that hangs", () => {
  test("holds up no mail, no list, no search, nor the end", async () => {
    const { notices, url } = startReceiver(hang);
    await using server = await startMailkeep({ args: ["--webhook", url] });
    await deliver(server.smtpPort, mail("first"));
    await until(() => notices.length === 1, "the POST that hangs");
    for (let n = 0; n < 200; n++) {
      await deliver(server.smtpPort, mail(`word${n}`));
      if (n % 20 === 0) expect(await total(server.http, `q=word${n}`)).toBe(1);
    }
    expect(await total(server.http)).toBe(201);
    expect(await stateOf(server.http)).toMatchObject({ waiting: 201, delivered: 0, failed: 0 });
    expect(await server.stop()).toBe(0);
    expect(linesOf(server).at(-1)).toContain('"webhook stopped early"');
  });
});

test("a webhook that cannot be reached is one line of log, and the server ends at once", async () => {
  const gone = startWebhookReceiver();
  await gone.stop();
  await using server = await startMailkeep({ args: ["--webhook", gone.url] });
  for (let n = 0; n < 20; n++) await deliver(server.smtpPort, mail(String(n)));
  await server.line((line) => line.includes('"webhook fails"'));
  expect(await total(server.http)).toBe(20);
  expect(await server.stop()).toBe(0);
  expect(linesOf(server).filter((line) => line.includes('"webhook fails"'))).toHaveLength(1);
  expect(linesOf(server).at(-1)).toContain('"waiting":20');
});

test.skipIf(!canMeasure)(
  "a webhook that never stops answering costs no memory and no descriptor (counted on Linux)",
  async () => {
    const endless = () =>
      new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024)) });
    const { url } = startReceiver(() => new Response(endless()));
    await using server = await startMailkeep({ args: ["--webhook", url] });
    const { pid } = server.process;
    await deliver(server.smtpPort, mail("warm"));
    await until(async () => (await stateOf(server.http)).delivered === 1, "the first notice");
    const [memory, descriptors] = [residentMiB(pid), descriptorsOf(pid)];
    for (let n = 0; n < 50; n++) await deliver(server.smtpPort, mail(String(n)));
    await until(async () => (await stateOf(server.http)).delivered === 51, "all notices");
    await until(() => descriptorsOf(pid) <= descriptors + 5, "the connections to be closed");
    expect(residentMiB(pid) - memory).toBeLessThan(64);
    expect(await server.stop()).toBe(0);
  },
);

test("webhooks of the file have filters, secrets and formats of their own, and survive kill -9", async () => {
  const folder = freshFolder();
  const config = join(folder, "mailkeep.toml");
  let isUp = false;
  const orders = startReceiver(() => new Response(null, { status: isUp ? 200 : 503 }));
  const slack = startReceiver();
  writeFileSync(
    config,
    `[[webhook]]
url = "${orders.url}/orders"
secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
filter = { subject = "order", q = "body" }

[[webhook]]
url = "${slack.url}/slack"
format = "slack"
`,
  );
  const start = () => startMailkeep({ dataDir: join(folder, "data"), args: ["--config", config] });
  {
    await using server = await start();
    for (const subject of ["order 1", "other", "order 2"]) await deliver(server.smtpPort, mail(subject));
    await until(async () => slack.notices.length === 3 && (await stateOf(server.http)).waiting === 2);
  }
  isUp = true;
  await using server = await start();
  await until(async () => (await stateOf(server.http)).delivered === 2, "what waited");
  expect(new Set(subjectsOf(orders.notices))).toEqual(new Set(["order 1", "order 2"]));
  expect(subjectsOf(orders.notices).slice(-2)).toEqual(["order 1", "order 2"]);
  expect(orders.notices.at(-1)?.headers["webhook-signature"]).toStartWith("v1,");
  expect(slack.notices).toHaveLength(3);
  const { webhooks } = (await (await fetch(`${server.http}/api/v1/webhooks`)).json()) as {
    webhooks: object[];
  };
  expect(webhooks).toMatchObject([
    { filter: "subject=order&q=body", signed: true, format: "event", state: "idle" },
    { filter: "", signed: false, format: "slack" },
  ]);
});
