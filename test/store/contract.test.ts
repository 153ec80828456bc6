// The stores in memory and in files fulfil the same contract. The search worker runs in the test's thread, to start
// fast. Full-text search is tested in a worker thread, too.
import { expect, test } from "bun:test";
import { describeFullText } from "../contract/full-text.ts";
import { describeStore } from "../contract/store.ts";
import { useFolders } from "../support/folders.ts";
import { openFiles, openMemory, rawOf } from "./open.ts";
import { openQuick, searchInProcess } from "./search-in-process.ts";

const freshFolder = useFolders();
const inProcess = () => ({ startSearchWorker: searchInProcess().start });

describeStore("memory store", (options) => openMemory({ ...options, ...inProcess() }));
describeStore("file store", (options) => openQuick(freshFolder(), options));
describeStore("file store, synced to disk, with a segment for every few messages", (options) =>
  openQuick(freshFolder(), { ...options, durability: "disk", segmentBytes: 300 }),
);
describeFullText("memory store", (options) => openMemory({ ...options, ...inProcess() }));
describeFullText("file store with a worker thread", (options) => openFiles(freshFolder(), options));

test("a message in memory takes no more than its size, however many chunks it came in", async () => {
  const store = await openMemory(inProcess());
  const draft = store.begin({ sender: "a", recipients: ["b"] });
  for (let sent = 0; sent < 9; sent++) await draft.append(new Uint8Array(100_000));
  const { id } = await draft.commit();
  expect((await rawOf(store, id))?.buffer.byteLength).toBe(900_000);
  await store.close();
});
