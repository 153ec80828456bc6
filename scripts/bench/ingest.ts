// Ingest: how many mails a second are acknowledged, and how many are stored and found by a search.
// Every server takes the same load in the same run, in turns: round by round the rates are set against each other,
// and the median of the rounds counts, so that a machine that changes its mood changes it for all.
import { atLeast, type Figure, type Report, type Target } from "./figure.ts";
import { deliver, type Load } from "./flood.ts";
import type { MailKind } from "./mails.ts";
import { cpuSeconds, peakMegabytes, resetPeak } from "./process-usage.ts";
import type { ServerUnderTest } from "./server.ts";
import { median } from "./statistics.ts";

interface IngestCase {
  readonly load: Load;
  /** Of smtp-sink's rate. */
  readonly acknowledged?: Target;
  readonly searchable?: Target;
  /** Against the fastest peer. */
  readonly peers?: Target;
}

export type Generate = (port: number, load: Load) => Promise<void>;

interface Turn {
  readonly acknowledged: number;
  readonly searchable: number;
  readonly cpuMicroseconds: number;
  readonly peakMegabytes: number;
}

const POLL_MS = 5;
const SEARCH_TIMEOUT_MS = 60_000;
/** What a server takes right after its start. */
const FIRST_MAILS = 3000;
/** After these a just-in-time compiler has done nearly all of its work; what each kind of load adds takes less. */
const SETTLING_MAILS = 40_000;
const WARM_UP_MAILS = 10_000;
const WARM_UP_MS = 10_000;
export const PORTION_MAILS = 5000;
const ROUNDS = 5;

const kept = (connections: number, mails: number): Load => ({ kind: "2 KB", mails, connections, kept: true });
const single = (connections: number, mails: number): Load => ({
  kind: "2 KB",
  mails,
  connections,
  kept: false,
});

function ingestCases(quick: boolean): IngestCase[] {
  const mails = quick ? 3000 : 10_000;
  const fewer = mails / 2;
  const main: IngestCase[] = [
    { load: kept(50, mails), acknowledged: atLeast(0.6), searchable: atLeast(0.45), peers: atLeast(5) },
    { load: kept(8, mails), acknowledged: atLeast(0.45) },
    { load: kept(1, fewer), acknowledged: atLeast(0.5) },
    { load: single(8, fewer), acknowledged: atLeast(0.6), peers: atLeast(5) },
  ];
  if (quick) return main;
  const eachWay = (kind: MailKind, mails: number): Load[] =>
    [kept, single].flatMap((way) => [1, 8, 50].map((connections) => ({ ...way(connections, mails), kind })));
  const further: Load[] = [
    single(1, fewer),
    single(50, fewer),
    { ...kept(50, mails), kind: "2 KB prose" },
    ...eachWay("5 KB multipart", fewer / 2),
    ...eachWay("200 KB attachment", 400),
  ];
  return [...main, ...further.map((load) => ({ load }))];
}

const nameOf = ({ kind, connections, kept }: Load): string =>
  `${kind}, ${connections} ${kept ? "kept" : "single"}`;

/** Whose search has not found a mail in time; it is not asked again. */
const deaf = new Set<ServerUnderTest>();

/** The index keeps the order of arrival: when a mail sent last is found, all before it can be. */
async function isFound(server: ServerUnderTest): Promise<boolean> {
  const { finds } = server;
  if (finds === null || deaf.has(server)) return false;
  const word = `last${crypto.randomUUID().replaceAll("-", "")}`;
  await deliver(server.smtpPort, `Subject: ${word}\r\n\r\n${word}\r\n`);
  const deadline = performance.now() + SEARCH_TIMEOUT_MS;
  while (!(await finds(word))) {
    if (performance.now() > deadline) {
      deaf.add(server);
      return false;
    }
    await Bun.sleep(POLL_MS);
  }
  return true;
}

/** A rate counts only if all that was sent is there. */
async function assertListed({ name, listed }: ServerUnderTest, expected: number): Promise<void> {
  const found = (await listed?.()) ?? expected;
  if (found !== expected)
    throw new Error(`${name} lists ${count(found)} mails instead of ${count(expected)}`);
}

async function takeTurn(server: ServerUnderTest, load: Load, generate: Generate): Promise<Turn> {
  const before = (await server.listed?.()) ?? 0;
  resetPeak(server.pid);
  const cpuBefore = cpuSeconds(server.pid);
  const started = performance.now();
  await generate(server.smtpPort, load);
  const acknowledgedMs = performance.now() - started;
  const hasBeenFound = await isFound(server);
  const searchableMs = hasBeenFound ? performance.now() - started : Number.NaN;
  const turn = {
    acknowledged: (load.mails / acknowledgedMs) * 1000,
    searchable: (load.mails / searchableMs) * 1000,
    cpuMicroseconds: ((cpuSeconds(server.pid) - cpuBefore) / load.mails) * 1e6,
    peakMegabytes: peakMegabytes(server.pid),
  };
  await assertListed(server, before + load.mails + Number(hasBeenFound));
  return turn;
}

const count = (value: number) => Math.round(value).toLocaleString("en");

/** How the rates of one compare with those of the other, taken in the same rounds. */
const ratioOf = (rates: readonly number[], others: readonly number[]) =>
  median(rates.map((rate, round) => rate / (others[round] ?? Number.NaN)));

function figuresOf(
  ingest: IngestCase,
  [own, ...others]: readonly Measured[],
  name = nameOf(ingest.load),
): Figure[] {
  if (own === undefined) return [];
  const section = "Ingest";
  const all = ({ turns }: Measured, key: keyof Turn) => turns.map((turn) => turn[key]);
  const rate = (measured: Measured, key: keyof Turn = "acknowledged") => median(all(measured, key));
  const cost = `${count(rate(own, "cpuMicroseconds"))} µs, ${count(Math.max(...all(own, "peakMegabytes")))} MB`;
  const figures: Figure[] = [];
  const sink = others.find(({ server }) => server.finds === null);
  if (sink === undefined) {
    figures.push({ section, name: `${name}: acknowledged`, value: rate(own), unit: "mails/s", note: cost });
    figures.push({ section, name: `${name}: searchable`, value: rate(own, "searchable"), unit: "mails/s" });
  } else {
    figures.push({
      section,
      name: `${name}: acknowledged`,
      value: ratioOf(all(own, "acknowledged"), all(sink, "acknowledged")),
      unit: "ratio",
      target: ingest.acknowledged,
      note: `${count(rate(own))} of ${count(rate(sink))}/s, ${cost}`,
    });
    figures.push({
      section,
      name: `${name}: searchable`,
      value: ratioOf(all(own, "searchable"), all(sink, "acknowledged")),
      unit: "ratio",
      target: ingest.searchable,
      note: `${count(rate(own, "searchable"))}/s`,
    });
  }
  const peers = others.filter(({ server }) => server.finds !== null);
  if (peers.length > 0) {
    figures.push({
      section,
      name: `${name}: times the fastest peer`,
      value: rate(own) / Math.max(...peers.map((peer) => rate(peer))),
      unit: "times",
      target: ingest.peers,
      note: peers
        .map(
          (peer) =>
            `${peer.server.name} ${count(rate(peer))}/s, searchable ${count(rate(peer, "searchable"))}/s`,
        )
        .join(", "),
    });
  }
  return figures;
}

interface Measured {
  readonly server: ServerUnderTest;
  readonly turns: readonly Turn[];
}

async function takeTurns(
  servers: readonly ServerUnderTest[],
  load: Load,
  rounds: number,
  generate: Generate,
): Promise<Measured[]> {
  const turns = servers.map((): Turn[] => []);
  for (let round = 0; round < rounds; round++) {
    // Whoever goes first goes last in the next round.
    const inTurn = [...servers.entries()];
    for (const [at, server] of round % 2 === 0 ? inTurn : inTurn.reverse()) {
      turns[at]?.push(await takeTurn(server, load, generate));
    }
  }
  return servers.map((server, at) => ({ server, turns: turns[at] ?? [] }));
}

export interface IngestOptions {
  /** The first server is Mailkeep, just started; the others are what it is compared with. */
  readonly servers: readonly ServerUnderTest[];
  readonly isQuick: boolean;
  readonly generate: Generate;
  /** The targets were set for the load that smtp-source makes. */
  readonly hasTargets: boolean;
  readonly report: Report;
}

/** In portions: whoever is slow has worked long enough before it has taken them all. */
async function warmUp(server: ServerUnderTest, load: Load, generate: Generate): Promise<void> {
  const deadline = performance.now() + WARM_UP_MS;
  for (let left = load.mails; left > 0 && performance.now() < deadline; left -= PORTION_MAILS) {
    await generate(server.smtpPort, { ...load, mails: Math.min(left, PORTION_MAILS) });
  }
  await isFound(server);
}

export async function measureIngest(options: IngestOptions): Promise<void> {
  const { servers, isQuick, generate, hasTargets, report } = options;
  const { tell, add } = report;
  const warmAllUp = async (load: Load) => {
    for (const server of servers) await warmUp(server, load, generate);
  };
  const first = kept(50, FIRST_MAILS);
  tell("ingest: the first mails");
  const firstTurns = await takeTurns(servers, first, 1, generate);
  add(...figuresOf({ load: first }, firstTurns, `${nameOf(first)}, just started`));
  tell(`ingest: ${count(SETTLING_MAILS)} mails that do not count`);
  await warmAllUp(kept(8, SETTLING_MAILS));
  for (const ingest of ingestCases(isQuick)) {
    const { load } = ingest;
    tell(`ingest: ${nameOf(load)}`);
    const least = load.kind === "2 KB" ? WARM_UP_MAILS : 0;
    await warmAllUp({ ...load, mails: Math.max(least, 2 * load.mails) });
    const measured = await takeTurns(servers, load, ROUNDS, generate);
    add(...figuresOf(hasTargets ? ingest : { load }, measured));
  }
}
