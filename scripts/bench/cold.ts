// The first mails after a start, as in a test run: each measurement of a Mailkeep has a new process and a new data
// folder. smtp-sink runs all the time. Mailkeep's own generator sends the load to all of them.
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { flood, kept, type Load } from "./flood.ts";
import { nameOf } from "./ingest-figures.ts";
import { startMailkeep, total } from "./mailkeep.ts";
import { atLeast, count, type Figure, median, type Report, range } from "./table.ts";

const SECTION = "Cold";
const MAILS = 3000;
/** A word in the subject of every mail of the kind "2 KB". */
const COMMON_WORD = "load";
const POLL_MS = 2;
const SEARCH_TIMEOUT_MS = 60_000;
/** Numbers of connections, each with the target for our rate divided by the rate of `--against`. */
const GOALS = [
  [1, 1.4],
  [8, 1.0],
  [50, 1.2],
] as const;

/** Takes one measurement and returns mails a second. */
type Measure = (load: Load) => Promise<number>;

export interface Contenders {
  readonly ours: Measure;
  readonly theirs: Measure | null;
  readonly sink: Measure | null;
}

async function untilFound(http: string, mails: number): Promise<void> {
  const deadline = performance.now() + SEARCH_TIMEOUT_MS;
  for (;;) {
    const found = await total(http, `q=${COMMON_WORD}`);
    if (found === mails) return;
    if (found > mails || performance.now() > deadline)
      throw new Error(`a search finds ${count(found)} mails instead of ${count(mails)}`);
    await Bun.sleep(POLL_MS);
  }
}

/** Mails a second until a search finds all; if `http` is null, until the last one is accepted. */
export async function rateOf(smtpPort: number, http: string | null, load: Load): Promise<number> {
  const started = performance.now();
  await flood(smtpPort, load);
  if (http !== null) await untilFound(http, load.mails);
  return (load.mails / (performance.now() - started)) * 1000;
}

export async function measureFreshStart(executable: string, folder: string, load: Load): Promise<number> {
  const dataDir = await mkdtemp(join(folder, "cold-"));
  const server = await startMailkeep(executable, dataDir);
  const rate = await rateOf(server.smtpPort, server.http, load);
  await server.stop();
  await rm(dataDir, { recursive: true });
  return rate;
}

type Rates = Readonly<Record<keyof Contenders, number[]>>;

function figuresOf(load: Load, { ours, theirs, sink }: Rates, goal: number): Figure[] {
  const [rate, theirRate, sinkRate] = [median(ours), median(theirs), median(sink)];
  /** Rates are compared within a round, because the speed of the machine may halve from one round to the next. */
  const byRound = (others: readonly number[]) => others.map((other, round) => (ours[round] ?? 0) / other);
  const searchable = { section: SECTION, name: `${nameOf(load)}: searchable` };
  const compared: Figure = {
    section: SECTION,
    name: `${nameOf(load)}: ours / theirs`,
    value: median(byRound(theirs)),
    unit: "ratio",
    target: atLeast(goal),
    note: `${count(rate)}/s and ${count(theirRate)}/s, ${range(byRound(theirs))} by round`,
  };
  const note = `${count(rate)} of ${count(sinkRate)}/s`;
  return [
    sink.length === 0
      ? { ...searchable, value: rate, unit: "mails/s" }
      : { ...searchable, value: median(byRound(sink)), unit: "ratio", note },
    ...(theirs.length === 0 ? [] : [compared]),
  ];
}

export async function measureCold(
  contenders: Contenders,
  rounds: number,
  { tell, add }: Report,
): Promise<void> {
  const takeTurns = async (connections: number, turns: number): Promise<[Load, Rates]> => {
    const load = kept(connections, MAILS);
    const rates: Rates = { ours: [], theirs: [], sink: [] };
    for (let round = 0; round < turns; round++) {
      // smtp-sink is always last, so that both executables follow it equally often.
      const inTurn = round % 2 === 0 ? (["ours", "theirs"] as const) : (["theirs", "ours"] as const);
      for (const name of [...inTurn, "sink"] as const) {
        const rate = await contenders[name]?.(load);
        if (rate !== undefined) rates[name].push(rate);
      }
    }
    return [load, rates];
  };
  // A warm-up: Bun compiles the generator's code while the first mails are sent.
  tell("cold: a round that does not count");
  await takeTurns(8, 1);
  for (const [connections, goal] of GOALS) {
    tell(`cold: ${connections} kept`);
    add(...figuresOf(...(await takeTurns(connections, rounds)), goal));
  }
}
