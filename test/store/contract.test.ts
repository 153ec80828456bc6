// Both stores keep the same contract; the file store also with tiny segments.
import { afterAll } from "bun:test";
import { describeStore } from "../contract/store.ts";
import { openFiles, openMemory, tempFolder } from "./open.ts";

const folders: ReturnType<typeof tempFolder>[] = [];
afterAll(() => {
  for (const folder of folders) folder.remove();
});

function freshFolder(): string {
  const folder = tempFolder();
  folders.push(folder);
  return folder.path;
}

describeStore("memory store", (options) => openMemory(options));
describeStore("file store", (options) => openFiles(freshFolder(), options));
describeStore("file store, synced to disk", (options) =>
  openFiles(freshFolder(), { ...options, durability: "disk" }),
);
describeStore("file store with a segment for every few messages", (options) =>
  openFiles(freshFolder(), { ...options, segmentBytes: 300 }),
);
