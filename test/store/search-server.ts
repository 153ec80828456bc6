// The worker's side of the text index without a thread: told and asked directly, with texts made up by the test.
import { matchExpressions } from "../../src/store/search/match.ts";
import type { Answer, FromWorker, Question, ToWorker } from "../../src/store/search/protocol.ts";
import { serveSearch, type TextFinder } from "../../src/store/search/serve.ts";

/** One byte more than a message that is not large. */
const LARGE_BYTES = new Uint8Array((1 << 14) + 1);

export interface SearchServer {
  /** What it has said so far, but for answers. */
  readonly said: string[];
  tell(message: ToWorker): void;
  add(seq: number, subject?: string): void;
  /** As `add`, but its sender waits. */
  addLate(seq: number, subject?: string): void;
  addLarge(seq: number, subject?: string, bytes?: Uint8Array): void;
  /** The seqs of what matches, newest first. */
  find(q: string): Promise<number[]>;
  /** Waits as the sender of a message does. */
  searchable(seq: number): Promise<unknown>;
  settled(): Promise<unknown>;
  close(): void;
}

/** The worker's side with a port that is called directly, and everything that it says. */
export function serveDirectly(finder: TextFinder, send: (message: FromWorker) => void) {
  let tell: (message: ToWorker) => void = () => {};
  const port = {
    receive: (listener: typeof tell) => {
      tell = listener;
    },
    send,
  };
  serveSearch(port, finder);
  return (message: ToWorker) => tell(message);
}

export function startSearchServer(finder: Partial<TextFinder> = {}, path = ":memory:"): SearchServer {
  const said: string[] = [];
  const asked = new Map<number, (answer: Answer | null) => void>();
  const tell = serveDirectly(
    { find: () => ({ subject: "", body: "" }), slice: () => [].values(), ...finder },
    (message) => {
      if (message.kind === "answer") asked.get(message.number)?.(message.answer);
      else said.push(message.kind === "opened" ? opening(message) : message.kind);
    },
  );
  tell({
    kind: "open",
    path,
    anew: false,
    clearedSeq: 0,
    lastSeq: Number.MAX_SAFE_INTEGER,
    removed: [],
    salt: 0,
  });
  let acknowledgedSeq = 0;
  let lastSeq = 0;
  const ask = (question: Question) =>
    new Promise<Answer | null>((resolve) => {
      asked.set(asked.size, resolve);
      tell({ kind: "ask", number: asked.size - 1, question, acknowledgedSeq, lastSeq });
    });
  const add = (seq: number, subject: string, bytes: Uint8Array) => {
    lastSeq = seq;
    const envelope = { seq, sender: "alice@example.com", recipients: '["bob@example.com"]', subject };
    tell({ kind: "add", additions: [{ ...envelope, source: { bytes } }] });
  };
  return {
    said,
    tell,
    add: (seq, subject = "") => {
      acknowledgedSeq = seq;
      add(seq, subject, new Uint8Array());
    },
    addLate: (seq, subject = "") => add(seq, subject, new Uint8Array()),
    addLarge: (seq, subject = "", bytes = LARGE_BYTES) => add(seq, subject, bytes),
    find: async (q) => {
      const page = { before: Number.MAX_SAFE_INTEGER, limit: 100, offset: 0 };
      const answer = await ask({ kind: "page", match: matchExpressions(q) ?? [], ...page });
      return [...(answer?.seqs ?? [])];
    },
    searchable: (seq) => ask({ kind: "text", seq }),
    settled: () => ask({ kind: "barrier" }),
    close: () => void ask({ kind: "close" }),
  };
}

const opening = ({
  indexedSeq,
  unfinished,
}: {
  indexedSeq: number;
  unfinished: readonly number[];
}): string =>
  unfinished.length === 0 ? `opened ${indexedSeq}` : `opened ${indexedSeq}, but for ${unfinished}`;
