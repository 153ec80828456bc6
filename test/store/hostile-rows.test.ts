// Mails with thousands of long recipients, each within its limits: whatever reads or changes many of them gives
// others a turn in between, and finds what it found before.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { MessageFilter } from "../../src/model/index.ts";
import type { Store } from "../../src/store/index.ts";
import { countTurns } from "../support/count-turns.ts";
import { tempFolder } from "../support/folders.ts";
import { mail, openFiles, openMemory, put } from "./open.ts";

const MAILS = 20;
const RECIPIENTS = Array.from({ length: 1000 }, (_, n) => `${n}${"a".repeat(600)}@example.com`);

const folder = tempFolder();
afterAll(() => folder.remove());

describe.each([
  ["files", () => openFiles(folder.path)],
  ["memory", () => openMemory()],
])("others have their turn, in %s,", (_, open) => {
  let store: Store;
  const ids: string[] = [];
  beforeAll(async () => {
    store = await open();
    for (let n = 0; n < MAILS; n++) {
      const recipients = [...RECIPIENTS, `Last${n}@example.com`];
      ids.push((await put(store, mail(`mail ${n}`), { recipients })).id);
    }
    await put(store, mail("short"));
  });
  afterAll(() => store.close());

  async function turnsOf<Result>(work: () => Promise<Result>): Promise<[Result, number]> {
    const stop = countTurns();
    const result = await work();
    return [result, stop()];
  }

  const FILTERS: [string, MessageFilter, number][] = [
    ["part of a recipient", { recipient: "9aaa" }, MAILS],
    ["one recipient", { to: "last7@example.com" }, 1],
    ["a subject behind all of them", { subject: "MAIL 1" }, 11],
    ["nothing that is there", { to: "nobody@example.com" }, 0],
    ["a word and a recipient", { q: "hello", recipient: "9aaa" }, MAILS],
  ];
  test.each(FILTERS)("while mail is filtered by %s", async (_name, filter, expected) => {
    const [counted, countingTurns] = await turnsOf(() => store.count(filter));
    expect(counted).toBe(expected);
    expect(countingTurns).toBeGreaterThanOrEqual(MAILS / 2);
    const [page, listingTurns] = await turnsOf(() => store.list({ filter, limit: 2, offset: 1 }));
    expect(page.total).toBe(expected);
    expect([...page.messages.map(({ id }) => id), ...page.rest]).toHaveLength(
      Math.max(0, Math.min(2, expected - 1)),
    );
    expect(listingTurns).toBeGreaterThanOrEqual(MAILS / 2);
  });

  test("and every page is the one of its cursor", async () => {
    const found: string[] = [];
    let before: string | null = null;
    do {
      const page = await store.list({ filter: { recipient: "9aaa" }, limit: 3, ...(before && { before }) });
      found.push(...page.messages.map(({ id }) => id), ...page.rest);
      before = page.next_cursor;
    } while (before !== null);
    expect(found).toEqual(ids.toReversed());
  });

  test("and what is short is read at once meanwhile", async () => {
    const filtered = Array.from({ length: 10 }, () => store.count({ to: "nobody@example.com" }));
    const [page, turns] = await turnsOf(() => store.list({ filter: {}, limit: 1 }));
    expect(page.messages).toMatchObject([{ subject: "short" }]);
    expect(turns).toBeLessThan(5);
    await Promise.all(filtered);
  });

  test("while many are changed by one request, of which each is told once and in order", async () => {
    const told: string[] = [];
    const [{ messages, rest }, turns] = await turnsOf(() =>
      store.update([...ids, "nothing", ...ids], { is_read: true, tags: ["t"] }, (changed) => {
        for (const { id, is_read } of changed) if (is_read) told.push(id);
      }),
    );
    expect([...messages.map(({ id }) => id), ...rest]).toEqual(ids);
    expect(told).toEqual(ids);
    expect(turns).toBeGreaterThanOrEqual(MAILS / 2);
    expect(await store.count({ tags: ["t"] })).toBe(MAILS);
  });

  test("while each is changed by a request of its own", async () => {
    const [, turns] = await turnsOf(() => Promise.all(ids.map((id) => store.update([id], { tags: [] }))));
    expect(turns).toBeGreaterThanOrEqual(MAILS / 2);
    expect(await store.tags()).toEqual([]);
  });

  test("while many are deleted", async () => {
    const told: string[] = [];
    const [deleted, turns] = await turnsOf(() => store.delete(ids, (some) => void told.push(...some)));
    expect(deleted).toEqual(ids);
    expect(told).toEqual(ids);
    expect(turns).toBeGreaterThanOrEqual(MAILS / 2);
    expect(await store.count({})).toBe(1);
  });
});
