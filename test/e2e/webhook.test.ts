// Webhooks as receivers see them, and receivers that hang.
import { afterEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { useFolders } from "../support/folders.ts";
import { total } from "../support/mailbox.ts";
import { startMailkeep } from "../support/mailkeep.ts";
import { deliver } from "../support/smtp-client.ts";
import { until } from "../support/until.ts";
import { type Answer, hang, startWebhookReceiver, subjectsOf } from "../support/webhook-receiver.ts";

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

test("a misspelt operator in a filter is logged", async () => {
  const config = join(freshFolder(), "mailkeep.toml");
  writeFileSync(config, '[[webhook]]\nurl = "http://127.0.0.1:1"\nfilter = { q = "form:shop" }\n');
  const relay = ["--relay=smtp://127.0.0.1:1", "--relay-allow=*", "--relay-filter=q=subjct:x"];
  await using server = await startMailkeep({ args: ["--config", config, ...relay] });
  await server.line((line) => line.includes("webhook filter") && line.includes("did you mean from:?"));
  await server.line((line) => line.includes("relay filter") && line.includes("did you mean subject:?"));
});

describe("a webhook that hangs", () => {
  test("delays no mail, no list, no search, and no stop", async () => {
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
