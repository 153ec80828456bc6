// The clock of a running Mailkeep is set back and forward while mail arrives: ids and lists keep the order of arrival,
// and timers follow the time that has really passed.
import { describe, expect, test } from "bun:test";
import { STEPPED, steppedClock } from "../../support/clock/stepped-clock.ts";
import { useFolders } from "../../support/folders.ts";
import { type Running, runMailkeep, startMailkeep } from "../../support/mailkeep.ts";
import { deliver, openSmtp } from "../../support/smtp-client.ts";
import { until } from "../../support/until.ts";
import { type Arrivals, keepSending } from "./support/arrivals.ts";
import { type Frame, listen } from "./support/listen.ts";
import { health, listAll, type Summary, total } from "./support/mailbox.ts";

const freshFolder = useFolders();
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const YEAR_MS = 365 * DAY_MS;
const [EPOCH, FAR] = [new Date(0), new Date("2061-02-03T04:05:06Z")];
const MAILS_A_STEP = 20;
/** What is not done by then is late even for a busy machine. */
const LATE_MS = 8000;

/** A number is a step, a date the time that the clock is set to. */
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

const ids = (summaries: readonly Summary[]) => summaries.map(({ id }) => id);

function start() {
  const clock = steppedClock();
  const dataDir = freshFolder();
  const startServer = (...args: string[]) => startMailkeep({ dataDir, args, environment: clock.environment });
  const step = (by: Step) => (typeof by === "number" ? clock.stepBy(by) : clock.stepTo(by));
  return { clock, dataDir, startServer, step };
}

/** Every acknowledged mail is there once, in the order of the answers, with its time of arrival. */
function expectInOrder(found: readonly Summary[], { bySender }: Arrivals): void {
  const sent = bySender.flat();
  const places = new Map(found.map((summary, place) => [summary.id, { ...summary, place }]));
  expect(places.size).toBe(sent.length);
  expect(ids(found)).toEqual(ids(found).toSorted().reverse());
  for (const { id, subject, between } of sent) {
    expect(places.get(id)?.subject).toBe(subject);
    const time = Date.parse(places.get(id)?.created_at ?? "");
    // The two processes round milliseconds differently.
    if (between) expect(time).toBeWithin(between[0] - 1, between[1] + 2);
  }
  for (const arrivals of bySender) {
    const order = arrivals.map(({ id }) => places.get(id)?.place ?? 0);
    expect(order).toEqual(order.toSorted((a, b) => b - a));
  }
}

/** One for each mail, in order. */
function expectEvents(frames: readonly Frame[], found: readonly Summary[]): void {
  expect(ids(frames.map(({ data }) => data))).toEqual(ids(found).reverse());
}

/** `since` with an id follows the order of arrival, with a time the time of arrival. */
async function expectSinceFilters({ http }: Running, found: readonly Summary[]): Promise<void> {
  for (const place of [1, found.length >> 1, found.length - 1]) {
    const { id, created_at } = found[place] as Summary;
    expect(await total(http, `since=${id}`)).toBe(place);
    const later = found.filter((summary) => summary.created_at > created_at);
    expect(await total(http, `since=${created_at}`)).toBe(later.length);
  }
}

describe(`${STEPPED} is set while mail flows`, () => {
  test.each(STEPS)("%s: nothing is lost, and all is in the order of arrival", async (_, steps) => {
    const { clock, dataDir, startServer, step } = start();
    using _clock = clock;
    let known: Summary[];
    let lastSeq: number;
    {
      await using server = await startServer();
      const listener = await listen(server.http, "resume=true");
      const arrivals = keepSending(server, clock);
      for (const by of steps) {
        await arrivals.more(MAILS_A_STEP);
        step(by);
      }
      await arrivals.more(MAILS_A_STEP);
      await arrivals.stop();
      known = await listAll(server.http);
      expectInOrder(known, arrivals);
      expect(await listAll(server.http, 7)).toEqual(known);
      await expectSinceFilters(server, known);
      await until(() => listener.frames.length >= known.length, "an event for each mail");
      expectEvents(listener.frames, known);
      expect(await total(server.http, `q=${known[0]?.subject}`)).toBe(1);
      expect(await health(server.http)).toBe("ok");
      lastSeq = listener.frames.at(-1)?.seq ?? 0;
      expect(await server.stop()).toBe(0);
      expect(server.lines.filter((line) => line.includes('"error"'))).toEqual([]);
    }
    const verified = await runMailkeep(["verify", "--data-dir", dataDir]);
    expect(verified).toMatchObject({ code: 0, out: expect.stringContaining("everything is in order") });
    await using again = await startServer();
    expect(await listAll(again.http)).toEqual(known);
    const id = await deliver(again.smtpPort, { raw: "Subject: after\r\n\r\n" });
    expect(ids(await listAll(again.http))).toEqual([id, ...ids(known)]);
    // Events of the earlier run are gone, whatever numbers this one began with.
    const late = await listen(again.http, `since=${lastSeq}`);
    expect(await late.closed).toBe(4001);
    expect(late.frames).toEqual([]);
  });

  test.each(STEPS)("%s: who waits is neither told too early nor kept waiting", async (_, steps) => {
    const { clock, startServer, step } = start();
    using _clock = clock;
    await using server = await startServer("--smtp-idle-timeout=2s");
    const quiet = await openSmtp(server.smtpPort);
    await quiet.reply();
    await quiet.command("EHLO quiet");
    const started = performance.now();
    const elapsed = () => performance.now() - started;
    const get = async (path: string) => {
      const response = await fetch(`${server.http}/api/v1/${path}`);
      return { status: response.status, after: elapsed(), body: (await response.json()) as Answer };
    };
    const inVain = get("messages/wait?to=nobody@example.com&timeout=1500ms");
    const settled = get("assert/count?max=0&to=nobody@example.com&settle=1500ms");
    const arrival = get("messages/wait?to=b@example.com&timeout=30s");
    const cutOff = quiet.closed.then(elapsed);
    for (const by of steps) step(by);

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
    expect(await cutOff).toBeWithin(silentFrom + 1900, LATE_MS);
    expect((await get("info")).body.uptime_seconds).toBeWithin(1, LATE_MS / 1000);
  });
});

test("retention goes by the clock: what is that old goes, what came after stays, and so does what is yet to come", async () => {
  const { clock, startServer } = start();
  using _clock = clock;
  const mail = (server: Running, subject: string) =>
    deliver(server.smtpPort, { raw: `Subject: ${subject}\r\n\r\n` });
  const left = (server: Running, ...expected: string[]) =>
    until(
      async () => (await listAll(server.http)).map(({ subject }) => subject).join() === expected.join(),
      `${expected} to be left`,
    );
  {
    await using server = await startServer("--retention=20s");
    await mail(server, "early");
    const body = '{"is_starred":true}';
    await fetch(`${server.http}/api/v1/messages/${await mail(server, "starred")}`, { method: "PATCH", body });
    clock.stepBy(HOUR_MS);
    await mail(server, "an hour later");
    await left(server, "an hour later", "starred");
    // A mail from a clock that was ahead once kept all later mail from expiring.
    clock.stepBy(-YEAR_MS);
    await mail(server, "a year before");
    clock.stepBy(HOUR_MS);
    await mail(server, "an hour after that");
    await left(server, "an hour after that", "an hour later", "starred");
  }
  clock.stepBy(HOUR_MS);
  await using server = await startServer("--retention=20s");
  await mail(server, "at the end");
  await left(server, "at the end", "an hour later", "starred");
});

test.each([
  ["1970", EPOCH],
  ["2061", FAR],
])("a Mailkeep whose clock says %s starts, takes mail and offers TLS", async (_, time) => {
  const { clock, startServer } = start();
  using _clock = clock;
  clock.stepTo(time);
  await using server = await startServer("--smtp-tls=self-signed");
  const id = await deliver(server.smtpPort, { raw: "Subject: kept\r\n\r\n" });
  const [found] = await listAll(server.http);
  expect(found).toMatchObject({ id, created_at: expect.stringContaining(time.toISOString().slice(0, 11)) });
  const client = await openSmtp(server.smtpPort);
  await client.reply();
  expect(await client.command("EHLO test")).toContain("STARTTLS");
  client.destroy();
  expect(await server.stop()).toBe(0);
});
