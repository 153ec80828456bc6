// `npm run soak -- --minutes N`: loads one server with everything at once (senders, readers, searches, changes,
// retention, 2,000 idle SMTP connections, 1,000 WebSockets), and judges its memory, descriptors, errors and counts.
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listAll } from "../test/support/mailbox.ts";
import { type Running, runMailkeep, startMailkeep } from "../test/support/mailkeep.ts";
import { EventClient } from "./bench/event-client.ts";
import { descriptorsOf, residentMegabytes } from "./bench/process-usage.ts";
import { endWith, readFlags } from "./flags.ts";
import { change, read, search, send, type Work } from "./soak/clients.ts";
import { eventually, soakNodes } from "./soak/nodes.ts";
import { Tally } from "./soak/tally.ts";
import { type Sample, slopePerMinute } from "./soak/trend.ts";

const USAGE = "usage: npm run soak -- [--minutes N] [--idle N] [--websockets N], or --nodes ROUNDS";
const flags = readFlags(USAGE, ["minutes", "idle", "websockets", "nodes"]);
if (flags.nodes !== undefined) process.exit((await soakNodes(Number(flags.nodes))) ? 0 : 1);
const minutes = Number(flags.minutes ?? 5);
const idle = Number(flags.idle ?? 2000);
const websockets = Number(flags.websockets ?? 1000);
if (!(minutes > 0) || !(idle >= 0) || !(websockets >= 0)) endWith(2, USAGE);

const KEPT_MESSAGES = 2000;
/** The share of the time in which clients do not pause, so that caches and heaps reach their full size. */
const WARM_UP = 0.4;
/** After this time, the memory of the new idle connections and WebSockets no longer disturbs the trend. */
const CROWD_SECONDS = 15;
const MAX_SLOPE = 1;
const AT_ONCE = 100;

async function gather<Client>(count: number, open: () => Promise<Client>): Promise<Client[]> {
  const clients: Client[] = [];
  while (clients.length < count) {
    const some = Math.min(AT_ONCE, count - clients.length);
    clients.push(...(await Promise.all(Array.from({ length: some }, open))));
  }
  return clients;
}

/** Opens a connection that sends only NOOP now and then, so that the server does not close it as idle. */
async function idleSmtp(port: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect({ port, host: "127.0.0.1" });
  socket.once("data", () => resolve(socket));
  socket.once("error", reject);
  const timer = setInterval(() => socket.write("NOOP\r\n"), 120_000);
  socket.once("close", () => clearInterval(timer));
  return promise;
}

async function work(
  server: Running,
  tally: Tally,
  milliseconds: number,
  isWarmingUp: boolean,
): Promise<void> {
  const end = performance.now() + milliseconds;
  const job: Work = { target: server, tally, isOver: () => performance.now() >= end, isWarmingUp };
  const phase = isWarmingUp ? "early" : "late";
  const clients = [
    ...Array.from({ length: 4 }, (_, index) => send(job, `${phase}${index}`, 150)),
    ...Array.from({ length: 3 }, () => read(job, 200)),
    ...Array.from({ length: 2 }, () => search(job, 200)),
    change(job, 300),
  ];
  await Promise.all(clients.map((client) => client.catch((error) => tally.failed(String(error)))));
}

function judge(name: string, holds: boolean, figure: string): boolean {
  console.log(`${holds ? "✓" : "✗"} ${name.padEnd(12)} ${figure}`);
  return holds;
}

const dataDir = await mkdtemp(join(tmpdir(), "mailkeep-soak-"));
const server = await startMailkeep({
  dataDir,
  args: [
    "--log-level=warn",
    `--max-messages=${KEPT_MESSAGES}`,
    `--max-connections=${idle + 1000}`,
    `--max-websockets=${websockets + 1}`,
  ],
});
const { pid } = server.process;
const tally = new Tally();
const memory: Sample[] = [];
const started = performance.now();
const seconds = () => (performance.now() - started) / 1000;
const sampling = setInterval(() => memory.push({ seconds: seconds(), value: residentMegabytes(pid) }), 1000);

const atRest = descriptorsOf(pid);
let frames = 0;
const reader = await EventClient.connect(server.http, (frame) => tally.heard(JSON.parse(frame.toString())));
console.log(`soak: ${minutes} min, ${idle} idle SMTP connections, ${websockets} WebSockets, pid ${pid}`);
await work(server, tally, minutes * 60_000 * WARM_UP, true);
const warmMails = tally.storedCount;
const crowd = await gather(idle, () => idleSmtp(server.smtpPort));
const audience = await gather(websockets, () =>
  EventClient.connect(server.http, () => {
    frames++;
  }),
);
const crowded = descriptorsOf(pid);
const settledAt = seconds() + CROWD_SECONDS;
await work(server, tally, minutes * 60_000 * (1 - WARM_UP), false);
const crowdedAfter = descriptorsOf(pid);
clearInterval(sampling);

let listed: string[] = [];
await eventually(() => tally.storedCount - tally.removedCount <= KEPT_MESSAGES);
for (let attempt = 0; attempt < 20; attempt++) {
  listed = (await listAll(server.http)).map(({ id }) => id);
  if (tally.differences(listed).length === 0) break;
  await Bun.sleep(250);
}
const differences = tally.differences(listed);
const lost =
  audience.filter(({ isLost }) => isLost).length + crowd.filter(({ destroyed }) => destroyed).length;
for (const socket of crowd) socket.destroy();
for (const client of [...audience, reader]) client.close();
const isFreed = await eventually(() => !(descriptorsOf(pid) > atRest + 30));
const atEnd = descriptorsOf(pid);
const exitCode = await server.stop();
const verified = await runMailkeep(["verify", "--data-dir", dataDir]);
rmSync(dataDir, { recursive: true, force: true });

const errors = server.lines.filter((line) => /"level":"error"|unexpected/.test(line));
const warm = memory.filter((sample) => sample.seconds > settledAt);
const slope = slopePerMinute(warm);
const isMeasured = !Number.isNaN(slope);
const byMinute = Map.groupBy(memory, (sample) => Math.floor(sample.seconds / 60));
const lows = [...byMinute.values()].map((samples) =>
  Math.min(...samples.map(({ value }) => value)).toFixed(0),
);
const peak = Math.max(...memory.map(({ value }) => value));

const verdicts = [
  judge(
    "memory",
    !isMeasured || slope < MAX_SLOPE,
    isMeasured
      ? `${slope.toFixed(2)} MB a minute after warm-up (at most ${MAX_SLOPE}), lows by minute ${lows.join(" ")}, peak ${peak.toFixed(0)} MB`
      : "not measured here",
  ),
  judge(
    "descriptors",
    isFreed,
    `${atRest} at rest, ${crowded} then ${crowdedAfter} with the crowd, ${atEnd} after it`,
  ),
  judge(
    "crowd",
    lost === 0,
    `${idle} SMTP and ${websockets} WebSocket connections, ${lost} lost, ${frames} frames`,
  ),
  judge(
    "requests",
    tally.failures.length === 0,
    `${tally.requests}, ${tally.failures.length} failed, slowest ${tally.slowestMs.toFixed(0)} ms`,
  ),
  judge(
    "counts",
    differences.length === 0,
    `${tally.storedCount} stored (${warmMails} to warm up), ${tally.removedCount} removed, ${listed.length} listed, ${differences.length} differences`,
  ),
  judge("log", errors.length === 0, `${errors.length} errors`),
  judge(
    "end",
    exitCode === 0 && verified.code === 0,
    `exit code ${exitCode}; ${verified.out.trim().split("\n")[0]}`,
  ),
];
for (const line of [...tally.failures, ...differences, ...errors].slice(0, 20)) console.log(`  ${line}`);
const holds = verdicts.every(Boolean);
console.log(holds ? "verdict: it holds" : "verdict: it does NOT hold");
process.exit(holds ? 0 : 1);
