// Retention: by age, by number, by bytes; the oldest first; starred mail stays.
import { afterEach, describe, expect, test } from "bun:test";
import { onEvent, Retention, type RetentionOptions } from "../../src/app/index.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import type { InboxEvent } from "../../src/model/index.ts";
import { type Mailkeep, mail, startMailkeep } from "../http/support/mailkeep.ts";

const HOUR = 3_600_000;
let clock = Date.parse("2026-01-01T00:00:00Z");
let mailkeep: Mailkeep;
let retention: Retention;
afterEach(async () => {
  await retention.stop();
  await mailkeep.stop();
});

async function start(rules: Partial<RetentionOptions>): Promise<InboxEvent[]> {
  mailkeep = await startMailkeep({ now: () => new Date(clock) });
  const events: InboxEvent[] = [];
  onEvent(mailkeep.store, (event) => events.push(event));
  retention = new Retention({
    store: mailkeep.store,
    logger: silentLogger,
    now: () => new Date(clock),
    includeStarred: false,
    ...rules,
  });
  retention.lead(true);
  return events;
}

const subjects = async () =>
  (await mailkeep.store.list({ filter: {}, limit: 200 })).messages.map(({ subject }) => subject).toReversed();

async function receiveHourly(count: number) {
  for (let n = 0; n < count; n++) {
    await mailkeep.receive(mail(`mail ${n}`));
    clock += HOUR;
  }
}

test("mail beyond the age limit is deleted, and listeners are told", async () => {
  const events = await start({ maxAgeMs: 3 * HOUR + 1 });
  await receiveHourly(5);
  await retention.applyLimits();
  expect(await subjects()).toEqual(["mail 2", "mail 3", "mail 4"]);
  expect(events.filter(({ type }) => type === "message:delete")).toHaveLength(2);
});

test("beyond the number, the oldest mails are deleted as soon as a mail arrives", async () => {
  await start({ maxMessages: 3 });
  await receiveHourly(10);
  await retention.applyLimits();
  expect(await subjects()).toEqual(["mail 7", "mail 8", "mail 9"]);
});

test("beyond the bytes, the oldest mails are deleted", async () => {
  await start({ maxBytes: mail("mail 0").length * 2 });
  await receiveHourly(5);
  await retention.applyLimits();
  expect(await subjects()).toEqual(["mail 3", "mail 4"]);
});

describe("the newest mail stays", () => {
  test("when it alone exceeds the bytes", async () => {
    await start({ maxBytes: mail("mail 0").length * 2 });
    await receiveHourly(2);
    await mailkeep.receive(mail("too much", "x".repeat(2000)));
    await retention.applyLimits();
    expect(await subjects()).toEqual(["too much"]);
    await receiveHourly(1);
    await retention.applyLimits();
    expect(await subjects()).toEqual(["mail 0"]);
  });

  test("when it already exceeds the limits at the start", async () => {
    await start({});
    for (const subject of ["old", "newest"]) await mailkeep.receive(mail(subject));
    await retention.stop();
    const { store } = mailkeep;
    const now = () => new Date(clock);
    retention = new Retention({
      ...{ store, now, logger: silentLogger },
      maxBytes: 10,
      includeStarred: false,
    });
    await retention.applyLimits();
    expect(await subjects()).toEqual(["newest"]);
  });

  test("when starred mail fills the limit", async () => {
    await start({ maxMessages: 2 });
    for (const subject of ["one", "two"]) {
      const { id } = await mailkeep.receive(mail(subject));
      await mailkeep.store.update([id], { is_starred: true });
    }
    await receiveHourly(3);
    await retention.applyLimits();
    expect(await subjects()).toEqual(["one", "two", "mail 2"]);
  });
});

describe("starred mail", () => {
  test("stays, even if it is too old or too much", async () => {
    await start({ maxAgeMs: 1, maxMessages: 1 });
    const { id } = await mailkeep.receive(mail("kept"));
    await mailkeep.store.update([id], { is_starred: true });
    await receiveHourly(3);
    await retention.applyLimits();
    expect(await subjects()).toEqual(["kept"]);
  });

  test("that loses its star counts at once, not only when the next mail comes", async () => {
    const events = await start({ maxMessages: 2 });
    const ids: string[] = [];
    for (const subject of ["one", "two", "three"]) {
      const { id } = await mailkeep.receive(mail(subject));
      await mailkeep.store.update([id], { is_starred: true });
      ids.push(id);
    }
    await receiveHourly(1);
    await retention.applyLimits();
    await mailkeep.store.update(ids.slice(0, 2), { is_starred: false });
    // `stop` waits for the current run and starts no new one.
    await retention.stop();
    expect(await subjects()).toEqual(["three", "mail 0"]);
    expect(events.filter(({ type }) => type === "message:delete")).toHaveLength(2);
  });

  test("is deleted if the settings say so", async () => {
    await start({ maxMessages: 1, includeStarred: true });
    const { id } = await mailkeep.receive(mail("old"));
    await mailkeep.store.update([id], { is_starred: true });
    await receiveHourly(2);
    await retention.applyLimits();
    expect(await subjects()).toEqual(["mail 1"]);
  });
});

test("many mails are deleted in batches", async () => {
  await start({ maxAgeMs: HOUR });
  for (let n = 0; n < 1100; n++) await mailkeep.receive(mail("x"));
  clock += 2 * HOUR;
  await retention.applyLimits();
  expect(await mailkeep.store.count({})).toBe(0);
});

test("a failure is logged, and the next run works", async () => {
  await start({ maxMessages: 1 });
  const oldest = mailkeep.store.oldest.bind(mailkeep.store);
  mailkeep.store.oldest = () => Promise.reject(new Error("disk"));
  await receiveHourly(3);
  await retention.applyLimits();
  mailkeep.store.oldest = oldest;
  await retention.applyLimits();
  expect(await subjects()).toEqual(["mail 2"]);
});
