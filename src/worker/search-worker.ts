// The search thread: the text index of the store, fed with the text that the MIME scan finds.
import { setPriority } from "node:os";
import { searchText } from "../mime/index.ts";
import { serveSearch } from "../store/index.ts";

declare const self: Worker;

// Whoever sends mail waits for the main thread. On Linux this is the priority of the thread, elsewhere of the process.
if (process.platform === "linux") setPriority(10);

serveSearch(
  {
    receive: (listener) => {
      self.onmessage = ({ data }) => listener(data);
    },
    send: (message, transfer = []) => self.postMessage(message, transfer),
  },
  searchText,
);
