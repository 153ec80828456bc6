// Large messages with texts made up by the test, and an index that notes what it is given.
import { LongMessages } from "../../src/store/search/long-messages.ts";

export interface StartedLongMessages {
  readonly long: LongMessages;
  /** What the index was told: the seq of each piece, and merges. */
  readonly told: (number | "merge")[];
  /** Those whose text was too much. */
  readonly cut: number[];
  add(seq: number, size: number): void;
}

export function startLongMessages(
  textOf: (seq: number) => Iterable<string>,
  segments = () => 0,
  now = () => 0,
): StartedLongMessages {
  const told: (number | "merge")[] = [];
  const cut: number[] = [];
  let opened = 0;
  const long = new LongMessages({
    slice: () => textOf(opened)[Symbol.iterator](),
    index: () => ({
      expect: () => {},
      add: ({ seq }) => told.push(seq),
      addLong: () => {},
      addPiece: (seq) => told.push(seq),
      finishLong: () => {},
      mergeLong: () => {
        told.push("merge");
        return segments() > 0;
      },
      longSegments: () => segments(),
    }),
    passes: () => false,
    cut: (seq) => cut.push(seq),
    now,
  });
  const add = (seq: number, size: number) => {
    const open = () => {
      opened = seq;
      return { size, read: () => new Uint8Array() };
    };
    long.add({ seq, sender: "", recipients: "[]", subject: "", size, isHeld: false, open });
  };
  return { long, told, cut, add };
}
