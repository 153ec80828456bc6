// The section cold of the bench: the order of the measurements, when each ends, and the figures.
import { expect, test } from "bun:test";
import { type Contenders, measureCold, rateOf } from "../../scripts/bench/cold.ts";
import type { Load } from "../../scripts/bench/flood.ts";
import type { Figure } from "../../scripts/bench/table.ts";
import { startTestServer } from "../smtp/test-server.ts";

type Rates = readonly [number, number, number];

/** The servers have the rate 0 in the warm-up, then these rates for each number of connections. */
async function measure(rates: { ours: Rates; theirs?: Rates; sink?: Rates }) {
  const order: string[] = [];
  const loads: Load[] = [];
  const figures: Figure[] = [];
  const play = (name: string, played: Rates) => {
    const upcoming = [0, ...played, ...played, ...played];
    return async (load: Load) => {
      order.push(name);
      loads.push(load);
      return upcoming.shift() ?? Number.NaN;
    };
  };
  const contenders: Contenders = {
    ours: play("ours", rates.ours),
    theirs: rates.theirs ? play("theirs", rates.theirs) : null,
    sink: rates.sink ? play("sink", rates.sink) : null,
  };
  await measureCold(contenders, 3, { tell: () => {}, add: (...found) => figures.push(...found) });
  return { order, loads, figures };
}

test("both executables take turns, and the first of a round is the second of the next", async () => {
  const { order } = await measure({ ours: [1, 1, 1], theirs: [1, 1, 1], sink: [1, 1, 1] });
  expect(order.slice(3, 12).join(" ")).toBe("ours theirs sink theirs ours sink ours theirs sink");
});

test("3,000 mails of 2 KB come over 1, 8 and 50 kept connections", async () => {
  const { loads } = await measure({ ours: [1, 1, 1] });
  const counted = loads.slice(1);
  expect(counted.map(({ connections }) => connections)).toEqual([1, 1, 1, 8, 8, 8, 50, 50, 50]);
  expect(counted.every(({ kind, mails, kept }) => kind === "2 KB" && mails === 3000 && kept)).toBe(true);
});

test("with another executable the figure is the median ratio of the rounds, with the goals 1.4, 1.0 and 1.2", async () => {
  const { figures } = await measure({ ours: [2800, 6000, 5600], theirs: [2000, 3000, 4000] });
  const compared = figures.filter(({ unit }) => unit === "ratio");
  expect(compared.map(({ name, value, target }) => [name, value, target?.value])).toEqual([
    ["2 KB, 1 kept: ours / theirs", 1.4, 1.4],
    ["2 KB, 8 kept: ours / theirs", 1.4, 1],
    ["2 KB, 50 kept: ours / theirs", 1.4, 1.2],
  ]);
  expect(compared[0]?.note).toBe("5,600/s and 3,000/s, 1.40 to 2.00 by round");
});

test("without another executable the figure is our rate, or with smtp-sink a share of its rate", async () => {
  const alone = await measure({ ours: [5000, 6000, 7000] });
  expect(alone.figures[0]).toMatchObject({ name: "2 KB, 1 kept: searchable", value: 6000, unit: "mails/s" });
  expect(alone.figures).toHaveLength(3);
  const besideSink = await measure({ sink: [10_000, 10_000, 20_000], ours: [5000, 6000, 8000] });
  expect(besideSink.figures[0]).toMatchObject({ value: 0.5, unit: "ratio", note: "6,000 of 10,000/s" });
});

/** Measures the rate with a search that finds these numbers of mails, one after the other. */
async function rateWithSearch(...finds: number[]): Promise<{ rate: number; asked: string[] }> {
  await using smtp = await startTestServer();
  const asked: string[] = [];
  using http = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) => {
      asked.push(new URL(url).search);
      return Response.json({ total: finds[asked.length - 1] });
    },
  });
  const load: Load = { kind: "2 KB", mails: 20, connections: 3, kept: true };
  const rate = await rateOf(smtp.server.port, http.url.origin, load);
  return { rate, asked };
}

test("the time ends when a search finds every mail", async () => {
  const { rate, asked } = await rateWithSearch(0, 19, 20);
  expect(asked).toEqual(Array(3).fill("?limit=1&q=load"));
  expect(rate).toBeGreaterThan(0);
});

test("a search that finds more mails than were sent ends the measurement", () => {
  return expect(rateWithSearch(21)).rejects.toThrow("a search finds 21 mails instead of 20");
});
