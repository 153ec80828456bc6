// The metrics count events of the server, and promtool accepts their format.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type Running, startMailkeep } from "../support/mailkeep.ts";
import { deliver, openSmtp } from "../support/smtp-client.ts";
import { startWebhookReceiver } from "../support/webhook-receiver.ts";

let server: Running;
const receiver = startWebhookReceiver(() => new Response(null, { status: 404 }));
beforeAll(async () => {
  server = await startMailkeep({ args: ["--webhook", `${receiver.url}/a"b`] });
  await deliver(server.smtpPort, { raw: "Subject: one\r\n\r\nword\r\n" });
  const client = await openSmtp(server.smtpPort);
  await client.reply();
  await client.command("EHLO x");
  await client.command("RCPT TO:<a@x.test>");
  await client.command("NONSENSE");
  for (const line of ["AUTH LOGIN", "dXNlcg==", "cGFzcw=="]) await client.command(line);
  client.end();
  await fetch(`${server.http}/api/v1/messages?q=word`);
});
afterAll(async () => {
  await server.stop();
  await receiver.stop();
});

const scrape = async (accept = "text/plain") => {
  const response = await fetch(`${server.http}/metrics`, { headers: { accept } });
  return { text: await response.text(), headers: response.headers };
};

test("events are counted", async () => {
  const { text, headers } = await scrape();
  expect(headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(headers.get("cache-control")).toBe("no-store");
  for (const line of [
    "mailkeep_mails_stored_total 1",
    "mailkeep_mail_bytes_stored_total 22",
    "mailkeep_messages 1",
    "mailkeep_smtp_connections_total 2",
    'mailkeep_smtp_commands_total{verb="EHLO"} 2',
    'mailkeep_smtp_commands_total{verb="AUTH"} 1',
    'mailkeep_smtp_commands_total{verb="STARTTLS"} 0',
    'mailkeep_smtp_commands_total{verb="unknown"} 1',
    'mailkeep_smtp_refusals_total{reply="503 5.5.1"} 1',
    'mailkeep_smtp_refusals_total{reply="500 5.5.1"} 1',
    'mailkeep_commit_group_records_bucket{le="1.0"} 3',
    "mailkeep_search_duration_seconds_count 1",
    'mailkeep_http_request_duration_seconds_count{method="GET",status="200"} 1',
    `mailkeep_delivery_waiting{kind="webhook",target="${receiver.url}",number="1"} 0`,
  ])
    expect(text).toContain(`\n${line}\n`);
});

test("a client that accepts OpenMetrics gets it", async () => {
  const { text, headers } = await scrape("application/openmetrics-text;version=1.0.0,text/plain;q=0.5");
  expect(headers.get("content-type")).toBe("application/openmetrics-text; version=1.0.0; charset=utf-8");
  const refused = await scrape("application/openmetrics-text;q=0,text/plain");
  expect(refused.headers.get("content-type")).toStartWith("text/plain");
  expect(text).toContain("# TYPE mailkeep_mails_stored counter\n");
  expect(text).toContain("\nmailkeep_mails_stored_total 1\n");
  expect(text).toEndWith("# EOF\n");
  const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  expect(new Set(names).size).toBe(names.length);
});

const promtool = Bun.which("promtool");
test.skipIf(promtool === null)("promtool finds nothing wrong (Debian: prometheus)", async () => {
  const { text } = await scrape();
  const check = Bun.spawnSync([promtool ?? "", "check", "metrics"], { stdin: Buffer.from(text) });
  expect(check.stderr.toString() + check.stdout.toString()).toBe("");
  expect(check.exitCode).toBe(0);
});

describe("the dashboard", () => {
  const path = join(import.meta.dir, "../../docs/grafana-dashboard.json");
  test("asks for metrics that exist, and for all of them", async () => {
    const { text } = await scrape();
    const known = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = ""]) => name);
    const { panels } = (await Bun.file(path).json()) as { panels: { targets: { expr: string }[] }[] };
    const asked = panels
      .flatMap(({ targets }) =>
        targets.flatMap(({ expr }) => expr.match(/\b(?:mailkeep|process)_\w+/g) ?? []),
      )
      .map((name) => name.replace(/_(?:bucket|sum|count)$/, ""));
    expect(asked.filter((name) => !known.includes(name))).toEqual([]);
    const shown = known.filter((name) => name !== "process_start_time_seconds");
    expect(shown.filter((name) => !asked.includes(name))).toEqual([]);
  });
});
