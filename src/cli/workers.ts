// Starts our worker threads, from source and from the compiled executable alike.

type WorkerName = "parse-worker" | "search-worker";

/** In the executable a worker's path is relative to the bundle's root, not to a folder on disk. */
export function startWorker(name: WorkerName): Worker {
  const path = Bun.isStandaloneExecutable
    ? `./worker/${name}.js`
    : new URL(`../worker/${name}.ts`, import.meta.url).href;
  return new Worker(path);
}
