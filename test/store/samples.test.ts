// How it is known early that other mail comes than before, that takes the text index longer.
import { describe, expect, test } from "bun:test";
import { silentLogger } from "../../src/lib/logger.ts";
import { searchText as textOf } from "../../src/mime/index.ts";
import type { RowQueries } from "../../src/store/rows/row-queries.ts";
import { Gauge } from "../../src/store/search/gauge.ts";
import { Handover } from "../../src/store/search/handover.ts";
import { EASY_MS } from "../../src/store/search/pace.ts";
import type { Addition, FromWorker, Stretch, ToWorker } from "../../src/store/search/protocol.ts";
import { Samples } from "../../src/store/search/samples.ts";
import type { WorkerLink } from "../../src/store/search/worker-link.ts";
import { bodies, record } from "./rows-in-log.ts";
import { serveDirectly } from "./search-server.ts";

const searchText = (raw: Uint8Array) => ({ subject: "", body: textOf(raw) });

const KB = 1024;
const MB = 1024 * KB;

/** So many messages of 4 KB in a row, and the samples taken of them. */
function samplesOf(messages: number, waitingBytes: number, size = 4 * KB): Addition[][] {
  const samples = new Samples(bodies);
  const taken: Addition[][] = [];
  for (let seq = 1; seq <= messages; seq++) {
    const sample = samples.take(record(seq, seq * (size + 100), size), waitingBytes);
    if (sample !== null) taken.push(sample);
  }
  return taken;
}

describe("of the mail that comes in", () => {
  test("a sample of 32 KB is taken for each megabyte, in one stretch", () => {
    const samples = samplesOf(3 * 263, 2 * MB);
    expect(samples).toHaveLength(3);
    expect(samples[0]).toHaveLength(1);
    const [stretch] = samples[0] as Stretch[];
    expect((stretch?.to ?? 0) - (stretch?.from ?? 0)).toBeWithin(32 * KB, 34 * KB);
  });

  test("none is taken as long as little waits for its turn", () => {
    expect(samplesOf(1000, 64 * KB)).toEqual([]);
  });

  test("none is taken of large messages, which wait for themselves", () => {
    expect(samplesOf(100, 2 * MB, 100 * KB)).toEqual([]);
  });
});

test("when a sample is hard, what waits is handed over, and whoever comes then waits for it", () => {
  const told: ToWorker["kind"][] = [];
  const handover = new Handover({
    rows: {
      state: { last_seq: 0, cleared_seq: 0 },
      rowsOf: () => [],
      unsearchedDeletes: () => [],
      after: () => [],
    } as unknown as RowQueries,
    bodies,
    logger: silentLogger,
    onProgress: () => {},
    advanced: () => {},
  });
  const link = { tell: ({ kind }: ToWorker) => told.push(kind) } as unknown as WorkerLink;
  handover.begin(link, 0, [], 0);
  handover.indexed({ bytes: MB, ms: 10, mergingMs: 0 });
  let seq = 0;
  const arrive = () => {
    seq++;
    const row = record(seq, seq * 5 * KB, 4 * KB);
    handover.add(row);
    return handover.isLate(row);
  };
  while (!told.includes("sample")) expect(arrive()).toBe(false);
  expect(told).toEqual(["sample"]);
  handover.sampled(0.5 / KB);
  expect(told).toEqual(["sample", "add"]);
  expect(arrive()).toBe(true);
  handover.stop();
});

const message = (seq: number, text: string): Addition => {
  const raw = `Content-Type: text/plain; charset=utf-8\r\n\r\n${text}`;
  return { seq, sender: "a@x.org", recipients: "[]", subject: "", source: { bytes: Buffer.from(raw) } };
};
const filler = [1, 2, 3].map((seq) => message(seq, "filler words ".repeat(800)));
/** One character of three bytes that is searched as eighteen. */
const unfolding = [1, 2, 3].map((seq) => message(seq, "\ufdfa ".repeat(2500)));

describe("a sample", () => {
  test("of filler is easy, of characters that unfold it is not", () => {
    const gauge = new Gauge(searchText);
    const best = (sample: Addition[]) =>
      Math.min(...Array.from({ length: 20 }, () => gauge.measure(sample, 0) ?? Number.POSITIVE_INFINITY));
    expect(best(filler)).toBeLessThan(EASY_MS);
    expect(best(unfolding)).toBeGreaterThan(EASY_MS);
  });

  test("of which nothing can be read tells nothing", () => {
    const gauge = new Gauge(searchText);
    expect(gauge.measure([{ path: "/nowhere/1.log", from: 0, to: 100 }], 0)).toBeNull();
    expect(gauge.measure([], 0)).toBeNull();
  });

  test("held searches up for what lay between its messages: long ones, or many", () => {
    const sizes: number[] = [];
    const find = (raw: Uint8Array) => {
      sizes.push(raw.length);
      return searchText(raw);
    };
    const long = message(4, "\ufdfa ".repeat(50_000));
    new Gauge(find).measure([filler[0] as Addition, long, filler[1] as Addition], 0);
    expect(Math.max(...sizes)).toBeLessThan(16 * KB);
    sizes.length = 0;
    const many = Array.from({ length: 100 }, (_, seq) => message(seq + 1, "filler words ".repeat(800)));
    new Gauge(find).measure(many, 0);
    expect(Math.max(...sizes) * sizes.length).toBeLessThan(2 * 80 * KB);
  });

  test("leaves the index as it is", () => {
    const said: FromWorker[] = [];
    const finder = { find: searchText, slice: () => [].values() };
    const tell = serveDirectly(finder, (message) => said.push(message));
    tell({ kind: "open", path: ":memory:", anew: false, clearedSeq: 0, lastSeq: 0, removed: [], salt: 0 });
    tell({ kind: "sample", additions: filler });
    const question = { kind: "all", match: ['"filler"'] } as const;
    tell({ kind: "ask", number: 1, question, acknowledgedSeq: 0, lastSeq: 0 });
    expect(said).toMatchObject([
      { kind: "opened" },
      { kind: "sampled", msPerByte: expect.any(Number) },
      { kind: "answer", answer: { total: 0 } },
    ]);
  });
});
