// What the search thread leaves in memory while it indexes large texts.
import { expect, spyOn, test } from "bun:test";
import type { FromWorker, ToWorker } from "../../src/store/search/protocol.ts";
import { serveSearch } from "../../src/store/search/serve.ts";

function start(chars: number) {
  const said: FromWorker[] = [];
  let tell: (message: ToWorker) => void = () => {};
  serveSearch(
    {
      receive: (listener) => {
        tell = listener;
      },
      send: (message) => said.push(message),
    },
    () => ({ subject: "", body: "word ".repeat(chars / 5) }),
  );
  tell({ kind: "open", path: ":memory:", clearedSeq: 0, lastSeq: 0, salt: 0 });
  return { said, tell };
}

test.each([
  ["large texts piled up until a gigabyte was collected", 2 << 20, 3],
  ["small ones are left to the collector", 5000, 0],
])("%s", (_name, chars, collections) => {
  const collect = spyOn(Bun, "gc");
  try {
    const { said, tell } = start(chars);
    const additions = [1, 2, 3].map((seq) => ({
      seq,
      sender: "a",
      recipients: "[]",
      source: { bytes: new Uint8Array() },
    }));
    tell({ kind: "add", additions });
    expect(said.at(-1)).toEqual({ kind: "added" });
    expect(collect).toHaveBeenCalledTimes(collections);
    tell({ kind: "ask", number: 1, question: { kind: "close" } });
  } finally {
    collect.mockRestore();
  }
});
