// The search thread: runs the text index of the store with the texts that `searchText` finds.
import { getPriority, setPriority } from "node:os";
import { searchText } from "../mime/index.ts";
import { SearchWorker } from "../store/index.ts";

declare const self: Worker;

// Receiving mail has priority. On other systems this call would slow down the whole process, not only this thread.
if (process.platform === "linux") setPriority(0, Math.max(getPriority(0), 10));

const worker = new SearchWorker((report) => self.postMessage(report), searchText);

self.onmessage = ({ data }) => worker.run(data);
