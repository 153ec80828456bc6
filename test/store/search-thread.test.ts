// What the search thread says when it cannot do what it was told.
import { expect, test } from "bun:test";
import type { FromWorker } from "../../src/store/search/protocol.ts";
import { serveDirectly } from "./search-server.ts";

test.each(["EMFILE", "ENFILE"])(
  "a message that could not be read for %s was never found by its text",
  async (code) => {
    const said: FromWorker[] = [];
    const fail = () => {
      throw Object.assign(new Error("too many open files"), { code });
    };
    const tell = serveDirectly({ find: fail, slice: fail }, (message) => said.push(message));
    tell({ kind: "open", path: ":memory:", anew: false, clearedSeq: 0, lastSeq: 0, removed: [], salt: 0 });
    const source = { bytes: new Uint8Array() };
    tell({ kind: "add", additions: [{ seq: 1, sender: "a@x.org", recipients: "[]", subject: "", source }] });
    await new Promise(setImmediate);
    expect(said.map(({ kind }) => kind)).toEqual(["opened", "failed"]);
  },
);
