// Ingest: how many mails a second are acknowledged, and how many are stored and found by a search.
// All servers get the same load in turns, and the median of the rounds counts. smtp-sink is compared with
// Mailkeep within each round, because the speed of the machine changes. Figures with a target come from
// several starts of Mailkeep, except with --quick.

import { deliver, kept, type Load } from "./flood.ts";
import { figuresOf, type IngestCase, nameOf, type Start, type Turn } from "./ingest-figures.ts";
import type { MailKind } from "./mails.ts";
import { cpuSeconds, peakMegabytes, resetPeak } from "./process-usage.ts";
import type { ServerUnderTest } from "./server.ts";
import { atLeast, count, type Report } from "./table.ts";

export type Generate = (port: number, load: Load) => Promise<void>;

const POLL_MS = 5;
const SEARCH_TIMEOUT_MS = 60_000;
/** After this many mails nearly all code is compiled. Later warm-ups need fewer. */
const SETTLING_MAILS = 40_000;
const WARM_UP_MAILS = 10_000;
const WARM_UP_MS = 10_000;
export const PORTION_MAILS = 5000;
const ROUNDS = 5;
const STARTS = 5;

const single = (connections: number, mails: number): Load => ({
  kind: "2 KB",
  mails,
  connections,
  kept: false,
});

function mainCases(isQuick: boolean): IngestCase[] {
  const mails = isQuick ? 3000 : 10_000;
  const fewer = mails / 2;
  return [
    { load: kept(50, mails), acknowledged: atLeast(0.6), searchable: atLeast(0.45), peers: atLeast(5) },
    { load: kept(8, mails), acknowledged: atLeast(0.45) },
    { load: kept(1, fewer), acknowledged: atLeast(0.5) },
    { load: single(8, fewer), acknowledged: atLeast(0.6), peers: atLeast(5) },
  ];
}

function furtherCases(): IngestCase[] {
  const eachWay = (kind: MailKind, mails: number): Load[] =>
    [kept, single].flatMap((way) => [1, 8, 50].map((connections) => ({ ...way(connections, mails), kind })));
  const loads: Load[] = [
    single(1, 5000),
    single(50, 5000),
    { ...kept(50, 10_000), kind: "2 KB prose" },
    ...eachWay("5 KB multipart", 2500),
    ...eachWay("200 KB attachment", 400),
  ];
  return loads.map((load) => ({ load }));
}

/** Servers whose search did not find a mail in time. Their search is not used again. */
const deaf = new Set<ServerUnderTest>();

/** Mails are indexed in the order of arrival: when the last one is found, all others are, too. */
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

/** A rate counts only if all mails are there. */
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

async function takeTurns(
  servers: readonly ServerUnderTest[],
  load: Load,
  rounds: number,
  generate: Generate,
): Promise<Start> {
  const turns = servers.map((): Turn[] => []);
  for (let round = 0; round < rounds; round++) {
    // Every second round runs in reverse order, so that no server always goes first.
    const inTurn = [...servers.entries()];
    for (const [at, server] of round % 2 === 0 ? inTurn : inTurn.reverse()) {
      turns[at]?.push(await takeTurn(server, load, generate));
    }
  }
  return servers.map((server, at) => ({ server, turns: turns[at] ?? [] }));
}

/** Sends the mails in portions, so that the warm-up of a slow server ends in time. */
async function warmUp(server: ServerUnderTest, load: Load, generate: Generate): Promise<void> {
  const deadline = performance.now() + WARM_UP_MS;
  for (let left = load.mails; left > 0 && performance.now() < deadline; left -= PORTION_MAILS) {
    await generate(server.smtpPort, { ...load, mails: Math.min(left, PORTION_MAILS) });
  }
  await isFound(server);
}

async function warmAllUp(servers: readonly ServerUnderTest[], load: Load, generate: Generate): Promise<void> {
  for (const server of servers) await warmUp(server, load, generate);
}

async function measureCase(
  servers: readonly ServerUnderTest[],
  { load }: IngestCase,
  generate: Generate,
): Promise<Start> {
  const least = load.kind === "2 KB" ? WARM_UP_MAILS : 0;
  await warmAllUp(servers, { ...load, mails: Math.max(least, 2 * load.mails) }, generate);
  return takeTurns(servers, load, ROUNDS, generate);
}

export interface IngestOptions {
  readonly startMailkeep: () => Promise<ServerUnderTest>;
  readonly others: readonly ServerUnderTest[];
  readonly isQuick: boolean;
  readonly generate: Generate;
  /** Targets apply only to load from smtp-source. */
  readonly hasTargets: boolean;
  readonly report: Report;
}

export async function measureIngest(options: IngestOptions): Promise<void> {
  const { startMailkeep, others, isQuick, generate, hasTargets, report } = options;
  const { tell, add } = report;
  const main = mainCases(isQuick);
  const cases: IngestCase[] = [
    ...(hasTargets ? main : main.map(({ load }) => ({ load }))),
    ...(isQuick ? [] : furtherCases()),
  ];
  const measured = cases.map((): Start[] => []);
  const starts = hasTargets && !isQuick ? STARTS : 1;
  for (let start = 1; start <= starts; start++) {
    const isFirst = start === 1;
    const mailkeep = await startMailkeep();
    const servers = [mailkeep, ...others.filter(({ finds }) => isFirst || finds === null)];
    tell(`ingest: start ${start} of ${starts}, ${count(SETTLING_MAILS)} mails that do not count`);
    await warmAllUp(servers, kept(8, SETTLING_MAILS), generate);
    for (const [at, ingest] of cases.entries()) {
      // Cases without a target are measured at the first start only.
      if (!isFirst && ingest.acknowledged === undefined) continue;
      tell(`ingest: ${nameOf(ingest.load)}`);
      measured[at]?.push(await measureCase(servers, ingest, generate));
      add(...figuresOf(ingest, measured[at] ?? []));
    }
    await mailkeep.stop();
  }
}
