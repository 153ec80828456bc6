// Both stores keep the same contract; the file store also with tiny segments.
import { describeStore } from "../contract/store.ts";
import { useFolders } from "../support/folders.ts";
import { openFiles, openMemory } from "./open.ts";

const freshFolder = useFolders();

describeStore("memory store", (options) => openMemory(options));
describeStore("file store", (options) => openFiles(freshFolder(), options));
describeStore("file store, synced to disk", (options) =>
  openFiles(freshFolder(), { ...options, durability: "disk" }),
);
describeStore("file store with a segment for every few messages", (options) =>
  openFiles(freshFolder(), { ...options, segmentBytes: 300 }),
);
