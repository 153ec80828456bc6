// The search thread: runs the text index of the store with the texts that `searchText` finds.
import { getPriority, setPriority } from "node:os";
import { searchText } from "../mime/index.ts";
import { SearchWorker } from "../store/index.ts";

declare const self: Worker;

// Gives way to receiving mail. Only on Linux does this call change just this thread's priority.
if (process.platform === "linux") setPriority(0, Math.max(getPriority(0), 10));

const worker = new SearchWorker((report, transfer = []) => self.postMessage(report, transfer), searchText);

self.onmessage = ({ data }) => worker.run(data);
