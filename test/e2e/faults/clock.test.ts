// The clock of a running Mailkeep is set back and forward: timers follow the time that has really passed. The order of
// mails is tested in test/store.
import { describe, expect, test } from "bun:test";
import { STEPPED, steppedClock } from "../../support/clock/stepped-clock.ts";
import { useFolders } from "../../support/folders.ts";
import { listAll } from "../../support/mailbox.ts";
import { startMailkeep } from "../../support/mailkeep.ts";
import { deliver, openSession, openSmtp } from "../../support/smtp-client.ts";

const freshFolder = useFolders();
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const YEAR_MS = 365 * DAY_MS;
const [EPOCH, FAR] = [new Date(0), new Date("2061-02-03T04:05:06Z")];
/** Longer than any delay of a busy machine, and much shorter than the large steps of the clock. */
const LATE_MS = 240_000;

/** A number moves the clock by so many milliseconds. A date sets it to this time. */
type Step = number | Date;
const STEPS: [string, Step[]][] = [
  ["back a day", [-DAY_MS]],
  ["forward a year", [YEAR_MS]],
  ["back and forth, to 1970 and beyond 2038", [YEAR_MS, -2 * YEAR_MS, EPOCH, DAY_MS, FAR, -1, 1, new Date()]],
];
interface Answer {
  readonly subject?: string;
  readonly waited_ms?: number;
  readonly uptime_seconds?: number;
}

describe(`${STEPPED} is set while clients wait`, () => {
  test.concurrent.each(STEPS)("%s: each is answered after the time it asked for", async (_, steps) => {
    using clock = steppedClock();
    const args = ["--smtp-idle-timeout=5s"];
    await using server = await startMailkeep({ args, environment: clock.environment });
    const quiet = await openSession(server.smtpPort);
    const started = performance.now();
    const elapsed = () => performance.now() - started;
    const get = async (path: string) => {
      const response = await fetch(`${server.http}/api/v1/${path}`);
      return { status: response.status, after: elapsed(), body: (await response.json()) as Answer };
    };
    const inVain = get("messages/wait?to=nobody@example.com&timeout=1500ms");
    const settled = get("assert/count?max=0&to=nobody@example.com&settle=1500ms");
    const arrival = get("messages/wait?to=b@example.com&timeout=5m");
    const cutOff = quiet.closed.then(elapsed);
    for (const by of steps) {
      if (typeof by === "number") clock.stepBy(by);
      else clock.stepTo(by);
    }

    expect(await quiet.command("NOOP")).toStartWith("250");
    const silentFrom = elapsed();
    await deliver(server.smtpPort, { to: ["b@example.com"], raw: "Subject: awaited\r\n\r\n" });
    expect(await arrival).toMatchObject({ status: 200, body: { subject: "awaited" } });
    expect((await inVain).status).toBe(417);
    expect((await settled).status).toBe(200);
    for (const { after, body } of [await inVain, await settled]) {
      expect(after).toBeWithin(1490, LATE_MS);
      expect(body.waited_ms).toBeWithin(1490, LATE_MS);
    }
    expect(await cutOff).toBeWithin(silentFrom + 4900, LATE_MS);
    expect((await get("info")).body.uptime_seconds).toBeWithin(1, LATE_MS / 1000);
  });
});

test.each([
  ["1970", EPOCH],
  ["2061", FAR],
])("a Mailkeep whose clock says %s starts, takes mail and offers TLS", async (_, time) => {
  using clock = steppedClock();
  clock.stepTo(time);
  const args = ["--smtp-tls=self-signed"];
  await using server = await startMailkeep({ dataDir: freshFolder(), args, environment: clock.environment });
  const id = await deliver(server.smtpPort, { raw: "Subject: kept\r\n\r\n" });
  const [found] = await listAll(server.http);
  expect(found).toMatchObject({ id, created_at: expect.stringContaining(time.toISOString().slice(0, 11)) });
  const client = await openSmtp(server.smtpPort);
  await client.reply();
  expect(await client.command("EHLO test")).toContain("STARTTLS");
  client.destroy();
  expect(await server.stop()).toBe(0);
});
