// The search worker: after any failure, the next answered search finds all acknowledged mail.
import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { searchText } from "../../src/mime/index.ts";
import { collectingLogger } from "../support/collecting-logger.ts";
import { useFolders } from "../support/folders.ts";
import { until } from "../support/until.ts";
import { codeOf, mail, openFiles, openMemory, put } from "./open.ts";
import { openQuick, searchInProcess } from "./search-in-process.ts";

const freshFolder = useFolders();

const stores = {
  files: (options: Parameters<typeof openMemory>[0]) => openFiles(freshFolder(), options),
  memory: (options: Parameters<typeof openMemory>[0]) => openMemory(options),
};

test.each(["files", "memory"] as const)(
  "a worker that died is replaced for the next question (%s)",
  async (kind) => {
    const search = searchInProcess();
    const { logger, events } = collectingLogger("error");
    const store = await stores[kind]({ startSearchWorker: search.start, logger });
    const { id } = await put(store, mail("needle one"));
    await put(store, mail("needle two"));
    await store.indexed();
    search.crash();
    await put(store, mail("needle three"));
    await store.delete([id]);
    expect(await store.count({ q: "needle" })).toBe(2);
    expect([search.starts, events]).toEqual([2, ["search failed"]]);
    await store.close();
  },
);

test("a question whose worker dies is refused, and the next one finds everything", async () => {
  const search = searchInProcess();
  const store = await openMemory({ startSearchWorker: search.start });
  await put(store, mail("needle"));
  await store.indexed();
  const release = Promise.withResolvers<void>();
  search.held = release.promise;
  const failing = codeOf(store.count({ q: "needle" }));
  await new Promise(setImmediate);
  search.crash();
  expect(await failing).toBe("io_error");
  search.held = null;
  release.resolve();
  expect(await store.count({ q: "needle" })).toBe(1);
  await store.close();
});

test("a real worker thread that ends is replaced", async () => {
  const workers: Worker[] = [];
  const startSearchWorker = () => {
    const worker = new Worker(new URL("../../src/worker/search-worker.ts", import.meta.url).href);
    workers.push(worker);
    return worker;
  };
  const store = await openFiles(freshFolder(), { startSearchWorker });
  await put(store, mail("needle"));
  expect(await store.count({ q: "needle" })).toBe(1);
  workers[0]?.terminate();
  await put(store, mail("needle"));
  // A question that is asked before the store notices that the worker has ended is refused.
  const counted = () => store.count({ q: "needle" }).catch(() => 0);
  await until(async () => (await counted()) === 2, "another worker answers");
  expect(workers).toHaveLength(2);
  await store.close();
});

test("a mail whose text cannot be read is found by its subject and addresses, and named", async () => {
  const search = searchInProcess((raw) => {
    const text = searchText(raw);
    if (text.body.includes("poison")) throw new Error("cannot be read");
    return text;
  });
  const { logger, lines } = collectingLogger("warn");
  const store = await openMemory({ startSearchWorker: search.start, logger });
  await put(store, mail("bad", "poison"));
  await put(store, mail("good", "honey"));
  expect(await Promise.all(["bad", "alice", "poison", "honey"].map((q) => store.count({ q })))).toEqual([
    1, 2, 0, 1,
  ]);
  expect(lines).toMatchObject([
    { event: "mail not indexed for search", seq: 1, reason: "Error: cannot be read" },
  ]);
  await store.close();
});

test("commits wait while too much waits for the worker, and nothing is lost", async () => {
  const search = searchInProcess();
  const store = await openMemory({ startSearchWorker: search.start });
  await store.indexed();
  const release = Promise.withResolvers<void>();
  search.held = release.promise;
  let stored = 0;
  const body = "x".repeat(100_000);
  const sent = Array.from({ length: 400 }, (_, n) =>
    put(store, mail(`needle ${n}`, body)).then(() => stored++),
  );
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
  expect(stored).toBeGreaterThan(100);
  expect(stored).toBeLessThan(400);
  search.held = null;
  release.resolve();
  await Promise.all(sent);
  expect(await store.count({ q: "needle" })).toBe(400);
  await store.close();
});

test("commits that wait for a worker go on when it dies", async () => {
  const search = searchInProcess();
  const store = await openMemory({ startSearchWorker: search.start });
  await store.indexed();
  search.held = new Promise(() => {});
  const body = "x".repeat(100_000);
  const sent = Array.from({ length: 300 }, (_, n) => put(store, mail(`needle ${n}`, body)));
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
  search.held = null;
  search.crash();
  await Promise.all(sent);
  expect(await store.count({ q: "needle" })).toBe(300);
  await store.close();
});

test("a store closed while its text index is built logs nothing, and builds the index at the next start", async () => {
  const dir = freshFolder();
  const filled = await openQuick(dir, { segmentBytes: 1000 });
  for (let n = 0; n < 40; n++) await put(filled, mail(`needle ${n}`));
  await filled.close();
  const { logger, events } = collectingLogger("warn");
  rmSync(join(dir, "search.sqlite"));
  const search = searchInProcess();
  const store = await openFiles(dir, { startSearchWorker: search.start, logger });
  const counted = codeOf(store.count({ q: "needle" }));
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  const release = Promise.withResolvers<void>();
  search.held = release.promise;
  const closed = store.close();
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  release.resolve();
  await closed;
  expect(await counted).toBe("closed");
  expect(events).toEqual([]);
  const again = await openQuick(dir);
  expect(await again.count({ q: "needle" })).toBe(40);
  await again.close();
});
