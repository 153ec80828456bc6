// The figures of the section ingest, from the measured rounds.
import { expect, test } from "bun:test";
import { figuresOf, type Measured, type Start } from "../../scripts/bench/ingest-figures.ts";
import { atLeast } from "../../scripts/bench/table.ts";

const load = { kind: "2 KB", mails: 1000, connections: 8, kept: false } as const;

function measured(
  name: string,
  rates: readonly number[],
  finds: Measured["server"]["finds"] = null,
): Measured {
  return {
    server: { name, pid: 1, smtpPort: 1, finds, listed: null, stop: async () => {} },
    turns: rates.map((rate) => ({
      acknowledged: rate,
      searchable: rate / 2,
      cpuMicroseconds: 100,
      peakMegabytes: 90,
    })),
  };
}

const search = async () => true;
const start = (rates: readonly number[], sinks: readonly number[]): Start => [
  measured("Mailkeep", rates, search),
  measured("smtp-sink", sinks),
];

test("a share is the median of the rounds of all starts, with the lowest and the highest median of a start", () => {
  const starts = [
    start([500, 520, 900], [1000, 1000, 1000]),
    start([1200, 1220, 1240], [2000, 2000, 2000]),
    start([700, 700, 700], [1000, 1000, 1000]),
  ];
  const [acknowledged, searchable] = figuresOf({ load, acknowledged: atLeast(0.6) }, starts);
  expect(acknowledged).toMatchObject({ name: "2 KB, 8 single: acknowledged", unit: "ratio", value: 0.62 });
  expect(acknowledged?.note).toBe("700 of 1,000/s, 100 µs, 90 MB, 0.52 to 0.70 by start");
  expect(searchable).toMatchObject({ value: 0.31, note: "350/s" });
});

test("with one start there is no lowest and highest median", () => {
  const [acknowledged] = figuresOf({ load }, [start([500], [1000])]);
  expect(acknowledged?.note).toBe("500 of 1,000/s, 100 µs, 90 MB");
});

test("with peers and without smtp-sink the figures are mails a second and how many times faster Mailkeep is", () => {
  const [acknowledged, , peers] = figuresOf({ load, peers: atLeast(5) }, [
    [measured("Mailkeep", [500], search), measured("slow", [50], search), measured("slower", [25], search)],
  ]);
  expect(acknowledged).toMatchObject({ unit: "mails/s", value: 500 });
  expect(peers).toMatchObject({ name: "2 KB, 8 single: times the fastest peer", unit: "times", value: 10 });
  expect(peers?.note).toBe("slow 50/s, searchable 25/s, slower 25/s, searchable 13/s");
});
