// A search worker in the thread of the test. It starts quickly, and the test can hold it, end it or make it fail.
import { searchText } from "../../src/mime/index.ts";
import { type FileStoreOptions, SearchWorker, type Store } from "../../src/store/index.ts";
import type { Job, Report } from "../../src/store/search/protocol.ts";
import type { FindText } from "../../src/store/search/worker.ts";
import { openFiles } from "./open.ts";

/** A store in files whose search worker runs in this process. */
export const openQuick = (dir: string, options: Partial<FileStoreOptions> = {}): Promise<Store> =>
  openFiles(dir, { startSearchWorker: searchInProcess().start, ...options });

export interface InProcessSearch {
  readonly start: () => Worker;
  starts: number;
  /** The worker does no job before this promise settles. */
  held: Promise<void> | null;
  crash(): void;
  /** Lets the running worker report a failure with this code. */
  fail(code: string): void;
}

export function searchInProcess(findText: FindText = searchText): InProcessSearch {
  let report = (_: Report) => {};
  let crash = () => {};
  const start = (): Worker => {
    search.starts++;
    let isOver = false;
    let onClose = () => {};
    let order = Promise.resolve();
    const worker = {
      onmessage: (_: { data: Report }) => {},
      onerror: null,
      addEventListener: (_: string, listen: () => void) => {
        onClose = listen;
      },
      postMessage: (job: Job) => {
        const copy = structuredClone(job);
        order = order
          .then(() => search.held ?? undefined)
          .then(() => {
            if (!isOver) searchWorker.run(copy);
          });
      },
      terminate: () => {
        isOver = true;
      },
    };
    report = (data) => queueMicrotask(() => isOver || worker.onmessage({ data }));
    crash = () => {
      isOver = true;
      onClose();
    };
    const searchWorker = new SearchWorker(report, findText);
    return worker as unknown as Worker;
  };
  const search: InProcessSearch = {
    start,
    starts: 0,
    held: null,
    crash: () => crash(),
    fail: (code) => report({ kind: "failed", code, message: "injected" }),
  };
  return search;
}
