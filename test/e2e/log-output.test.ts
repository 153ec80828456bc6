import { expect, test } from "bun:test";
import { mailkeepCommand, startMailkeep } from "../support/mailkeep.ts";
import { deliver } from "../support/smtp-client.ts";

/** Long addresses make long log lines: more than a pipe and the sink's own buffer hold. */
const FLOOD_MAILS = 1500;
const LONG_SENDER = `${"s".repeat(500)}@example.com`;

test("a reader that stops reading the log does not stop the mail", async () => {
  const args = ["serve", "--ephemeral", "--smtp-port=0", "--http-port=0", "--log-format=json"];
  const child = Bun.spawn(mailkeepCommand(args), { stdio: ["ignore", "pipe", "ignore"] });
  const reader = child.stdout.getReader();
  const ready = JSON.parse(new TextDecoder().decode((await reader.read()).value));
  const port = Number(ready.smtp.split(":").at(-1));
  for (let sent = 0; sent < FLOOD_MAILS; sent += 50) {
    await Promise.all(
      Array.from({ length: 50 }, () => deliver(port, { from: LONG_SENDER, raw: "Subject: flood\r\n\r\n" })),
    );
  }
  const response = await fetch(`${ready.http}/api/v1/messages?limit=1`);
  expect(((await response.json()) as { total: number }).total).toBe(FLOOD_MAILS);
  child.kill("SIGKILL");
  await child.exited;
});

test("the log says when others can read the mail, on a terminal or not", async () => {
  await using open = await startMailkeep({ args: ["--bind=0.0.0.0"] });
  const line = await open.line((text) => text.includes("read and delete"));
  expect(JSON.parse(line)).toMatchObject({ level: "warn", advice: "--http-auth sets a password" });
  await using closed = await startMailkeep({ args: ["--bind=0.0.0.0", "--http-auth=ann:secret"] });
  await closed.stop();
  expect(closed.lines.filter((text) => text.includes("read and delete"))).toEqual([]);
});
