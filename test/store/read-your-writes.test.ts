// A search sees everything that was acknowledged before it, however busy the search thread is.
import { afterAll, describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { FromWorker } from "../../src/store/search/protocol.ts";
import { tempFolder, useFolders } from "../support/folders.ts";
import { mail, openFiles, openMemory, put, startSearchWorker } from "./open.ts";

const freshFolder = useFolders();

/** A real search thread whose word that something is done can be held back. */
function slowWorker(kinds: readonly FromWorker["kind"][] = ["added"]) {
  const held: MessageEvent<FromWorker>[] = [];
  const opened = Promise.withResolvers<void>();
  let isHolding = true;
  let deliver: ((event: MessageEvent<FromWorker>) => void) | null = null;
  const start = () => {
    const worker = startSearchWorker();
    worker.onmessage = (event) => {
      if (isHolding && kinds.includes(event.data.kind)) held.push(event);
      else deliver?.(event);
      if (event.data.kind === "opened") opened.resolve();
    };
    Object.defineProperty(worker, "onmessage", {
      set: (listener) => {
        deliver = listener;
      },
    });
    return worker;
  };
  const release = () => {
    isHolding = false;
    for (const event of held.splice(0)) deliver?.(event);
  };
  return { start, release, hasOpened: opened.promise };
}

test.each([
  ["a count", (q: string) => ({ q })],
  ["a filtered count", (q: string) => ({ q, sender: "alice" })],
])("%s missed mail that waited for the search thread to have room", async (_, filter) => {
  const worker = slowWorker();
  const store = await openMemory({ startSearchWorker: worker.start });
  await put(store, mail("first"));
  expect(await store.count({ q: "first" })).toBe(1);
  // More than the thread is given before it says that it is done with some.
  await Promise.all(Array.from({ length: 600 }, (_, n) => put(store, mail(`filler ${n}`))));
  await put(store, mail("needle"));
  const found = store.count(filter("needle"));
  // A question that did not wait is on its way by now, before the mail that it asks for.
  await new Promise((resolve) => setImmediate(resolve));
  worker.release();
  expect(await found).toBe(1);
  expect(await store.count({ q: "filler" })).toBe(600);
  await store.close();
});

test("a small mail is searchable from the first", async () => {
  const store = await openMemory();
  expect(store.searchable(await put(store, mail("needle")))).toBeNull();
  expect(await store.count({ q: "needle" })).toBe(1);
  await store.close();
});

test("when mail comes in faster than it is indexed, its senders wait, so that searches need not", async () => {
  const worker = slowWorker(["indexed"]);
  const store = await openMemory({ startSearchWorker: worker.start });
  const receive = async () => {
    const message = await put(store, mail("small", "words ".repeat(2000)));
    return { searchable: store.searchable(message) };
  };
  const answers = [];
  for (let mails = 0; mails < 100; mails++) answers.push(await receive());
  expect(answers[0]?.searchable).toBeNull();
  expect(answers.at(-1)?.searchable).not.toBeNull();
  await answers.at(-1)?.searchable;
  worker.release();
  await store.count({ q: "words" });
  expect((await receive()).searchable).toBeNull();
  await store.close();
});

test("mail that was deleted before it was indexed counted for ever, and every sender waited", async () => {
  const worker = slowWorker();
  const store = await openMemory({ startSearchWorker: worker.start });
  const raw = mail("small", "words ".repeat(2500));
  await store.count({ q: "words" });
  const messages = await Promise.all(Array.from({ length: 3000 }, () => put(store, raw)));
  await store.delete(messages.map(({ id }) => id));
  worker.release();
  expect(await store.count({ q: "words" })).toBe(0);
  await put(store, mail("last"));
  expect(await store.count({ q: "last" })).toBe(1);
  expect(store.searchable(await put(store, raw))).toBeNull();
  await store.close();
});

test("while old mail is indexed, nobody waits for that to be acknowledged", async () => {
  const folder = freshFolder();
  const first = await openFiles(folder);
  await Promise.all(Array.from({ length: 1000 }, (_, n) => put(first, mail(`old ${n}`))));
  await first.close();
  rmSync(join(folder, "search.sqlite"), { force: true });
  const worker = slowWorker();
  const store = await openFiles(folder, { startSearchWorker: worker.start });
  const asked = store.count({ q: "old" });
  await worker.hasOpened;
  const large = await put(store, mail("large", "words ".repeat(10_000)));
  expect(store.searchable(large)).toBeNull();
  worker.release();
  expect(await asked).toBe(1000);
  expect(await store.count({ q: "large words" })).toBe(1);
  await store.close();
});

describe("of a mail of 6 MiB", () => {
  const large = mail("needle", `${`${"filler ".repeat(10)}\r\n`.repeat(90_000)}faraway`);
  const folder = tempFolder();
  afterAll(() => folder.remove());

  test.each([
    ["in memory", () => openMemory()],
    ["in files", () => openFiles(folder.path)],
  ])(
    "the last word is found when it is said to be searchable, and nobody waits for it before, %s",
    async (_, open) => {
      const store = await open();
      const message = await put(store, large);
      const searchable = store.searchable(message);
      expect(await store.count({ q: "faraway" })).toBe(0);
      await searchable;
      expect((await store.list({ filter: { q: "needle faraway" }, limit: 10 })).messages).toEqual([message]);
      expect(await store.count({ q: "faraway" })).toBe(1);
      expect(await store.walk({ q: "faraway", sender: "alice" })).toEqual([message.id]);
      await store.close();
    },
  );

  test("a search that waits for it when the store closes is refused", async () => {
    const store = await openMemory();
    await put(store, large);
    const found = store.count({ q: "faraway" }).catch(({ code }) => code);
    await store.close();
    expect(await found).toBe("closed");
  });

  test("no word is missed when the search thread dies over it", async () => {
    const workers: Worker[] = [];
    const start = () => {
      const worker = startSearchWorker();
      workers.push(worker);
      return worker;
    };
    const store = await openFiles(freshFolder(), { startSearchWorker: start });
    const message = await put(store, large);
    const searchable = store.searchable(message);
    await store.list({ filter: { q: "needle" }, limit: 1 });
    workers[0]?.terminate();
    await searchable;
    expect(await store.walk({ q: "needle faraway" })).toEqual([message.id]);
    expect(workers.length).toBe(2);
    await store.close();
  });
});
