// The search thread: the text index of the store, fed with the text that the MIME scan finds.
import { searchText, startScan } from "../mime/index.ts";
import { serveSearch } from "../store/index.ts";

declare const self: Worker;

function subjectOf(raw: Uint8Array): string {
  const scan = startScan();
  scan.push(raw);
  return scan.finish().subject;
}

serveSearch(
  {
    receive: (listener) => {
      self.onmessage = ({ data }) => listener(data);
    },
    send: (message) => self.postMessage(message),
  },
  {
    find: (raw) => ({ subject: subjectOf(raw), body: searchText(raw) }),
    *slice(raw) {
      yield searchText(raw.read(0, raw.size));
    },
  },
);
