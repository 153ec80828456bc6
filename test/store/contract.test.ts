// The stores in memory and in files fulfil the same contract. Most searches run in the test's thread, to start fast.
import { describeStore } from "../contract/store.ts";
import { useFolders } from "../support/folders.ts";
import { openFiles, openMemory } from "./open.ts";
import { searchInProcess } from "./search-in-process.ts";

const freshFolder = useFolders();
const quickSearch = () => ({ startSearchWorker: searchInProcess().start });

describeStore("memory store", (options) => openMemory({ ...options, ...quickSearch() }));
describeStore("file store", (options) => openFiles(freshFolder(), options));
describeStore("file store, synced to disk", (options) =>
  openFiles(freshFolder(), { ...options, ...quickSearch(), durability: "disk" }),
);
describeStore("file store with a segment for every few messages", (options) =>
  openFiles(freshFolder(), { ...options, ...quickSearch(), segmentBytes: 300 }),
);
