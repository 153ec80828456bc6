// The search thread: the text index of the store, fed with the text that the MIME scan finds.
import { searchText } from "../mime/index.ts";
import { serveSearch } from "../store/index.ts";

declare const self: Worker;

serveSearch(
  {
    receive: (listener) => {
      self.onmessage = ({ data }) => listener(data);
    },
    send: (message, transfer = []) => self.postMessage(message, transfer),
  },
  searchText,
);
