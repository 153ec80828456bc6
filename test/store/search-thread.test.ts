// What the search thread says when it cannot do what it was told.
import { expect, test } from "bun:test";
import type { FromWorker, ToWorker } from "../../src/store/search/protocol.ts";
import { serveSearch } from "../../src/store/search/serve.ts";

test.each(["EMFILE", "ENFILE"])(
  "a message that could not be read for %s was never found by its text",
  async (code) => {
    const said: FromWorker[] = [];
    let tell: (message: ToWorker) => void = () => {};
    const port = {
      receive: (listener: typeof tell) => {
        tell = listener;
      },
      send: (message: FromWorker) => said.push(message),
    };
    const fail = () => {
      throw Object.assign(new Error("too many open files"), { code });
    };
    serveSearch(port, { find: fail, slice: fail });
    tell({ kind: "open", path: ":memory:", anew: false, clearedSeq: 0, lastSeq: 0, salt: 0 });
    const source = { bytes: new Uint8Array() };
    tell({ kind: "add", additions: [{ seq: 1, sender: "a@x.org", recipients: "[]", subject: "", source }] });
    await new Promise(setImmediate);
    expect(said.map(({ kind }) => kind)).toEqual(["opened", "failed"]);
  },
);
