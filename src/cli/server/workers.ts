// Starts our worker threads, from source and from the compiled executable alike.
import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";

type WorkerName = "parse-worker" | "search-worker";

/** A thread takes about a dozen for itself and its files; others are taken while it starts. */
const NEEDED_DESCRIPTORS = 32;

/** In the executable a worker's path is relative to the bundle's root, not to a folder on disk. */
export function startWorker(name: WorkerName): Worker {
  assertDescriptors(NEEDED_DESCRIPTORS);
  const path = Bun.isStandaloneExecutable
    ? `./worker/${name}.js`
    : new URL(`../../worker/${name}.ts`, import.meta.url).href;
  return new Worker(path);
}

/** A thread that finds no file descriptor when it starts would end the whole process. Throws EMFILE instead. */
function assertDescriptors(count: number): void {
  const taken: number[] = [];
  try {
    for (let index = 0; index < count; index++) taken.push(openSync(devNull, "r"));
  } finally {
    for (const fd of taken) closeSync(fd);
  }
}
