// `npm run bench`: measures Mailkeep on this machine beside what else is there, and prints one table.
// Starts its own servers on free ports and in temporary folders, and ends them.
import { mkdtemp, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { measureEvents } from "./bench/events.ts";
import type { Figure } from "./bench/figure.ts";
import { flood } from "./bench/flood.ts";
import { type Generate, measureIngest } from "./bench/ingest.ts";
import { startMailkeep } from "./bench/mailkeep.ts";
import { type Options, readOptions, type Section, USAGE } from "./bench/options.ts";
import { startPeer } from "./bench/peers.ts";
import { findPostfix, runSource, startSink } from "./bench/postfix.ts";
import { measureReading } from "./bench/reading.ts";
import { measureResources } from "./bench/resources.ts";
import { killAll, type ServerUnderTest } from "./bench/server.ts";
import { formatTable } from "./bench/table.ts";

/** Nobody waits longer than this for a bench. */
const LIMIT_MS = { quick: 5 * 60_000, normal: 40 * 60_000, full: 120 * 60_000 } as const;
const SIZES = {
  quick: [1000, 10_000],
  normal: [1000, 10_000, 100_000],
  full: [1000, 10_000, 100_000, 1_000_000],
} as const;

const tell = (text: string) => process.stderr.write(`${text}\n`);

async function ingest({ extent, executable, postfixDir, ownGenerator, peers }: Options, folder: string) {
  const postfix = findPostfix(postfixDir);
  const generate: Generate =
    postfix === null || ownGenerator ? flood : (port, load) => runSource(postfix, port, load, folder);
  tell(`generator: ${generate === flood ? "our own" : "smtp-source"}`);
  const servers: ServerUnderTest[] = [await startMailkeep(executable, join(folder, "ingest"))];
  if (postfix !== null) servers.push(await startSink(postfix));
  for (const [name, file] of peers) servers.push(await startPeer(name, file, folder));
  const figures = await measureIngest({ servers, isQuick: extent === "quick", generate, tell });
  for (const server of servers) await server.stop();
  return figures;
}

async function events({ extent, executable }: Options, folder: string) {
  const server = await startMailkeep(executable, join(folder, "events"));
  const isQuick = extent === "quick";
  const figures = await measureEvents(server, isQuick ? [1, 100] : [1, 100, 1000], isQuick ? 3 : 10, tell);
  await server.stop();
  return figures;
}

const MEASURE: Readonly<Record<Section, (options: Options, folder: string) => Promise<Figure[]>>> = {
  ingest,
  reading: ({ executable, extent }, folder) => measureReading(executable, folder, SIZES[extent], tell),
  events,
  resources: ({ executable, extent }, folder) =>
    measureResources(executable, folder, extent === "quick" ? 10 : 100, tell),
};

async function bench(options: Options): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "mailkeep-bench-"));
  const leave = async (code: number) => {
    await killAll();
    await rm(folder, { recursive: true, force: true });
    process.exit(code);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void leave(1));
  setTimeout(() => {
    tell(`given up after ${LIMIT_MS[options.extent] / 60_000} minutes: this machine is too slow or too busy`);
    void leave(0);
  }, LIMIT_MS[options.extent]);
  try {
    const figures: Figure[] = [];
    for (const section of options.sections) figures.push(...(await MEASURE[section](options, folder)));
    console.log(options.json ? JSON.stringify(figures, null, 2) : `${machine()}\n\n${formatTable(figures)}`);
    await leave(0);
  } catch (error) {
    tell(String(error));
    await leave(1);
  }
}

const machine = () =>
  `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${process.platform}, Bun ${Bun.version}`;

const options = readOptions(process.argv.slice(2));
if (options === null) process.stdout.write(USAGE);
else await bench(options);
