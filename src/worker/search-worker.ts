// The search thread: the text index of the store, fed with the text that the MIME scan finds.
import { setPriority } from "node:os";
import { searchText } from "../mime/index.ts";
import { serveSearch } from "../store/index.ts";

const INDEXING_NICENESS = 10;

declare const self: Worker;

// Taking in mail goes before indexing it. On Linux a priority belongs to the thread that sets it;
// elsewhere it would be that of the whole process.
if (process.platform === "linux") setPriority(INDEXING_NICENESS);

serveSearch(
  {
    receive: (listener) => {
      self.onmessage = ({ data }) => listener(data);
    },
    send: (message) => self.postMessage(message),
  },
  searchText,
);
