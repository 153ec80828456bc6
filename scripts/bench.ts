// `npm run bench`: measures Mailkeep and other installed servers on this machine, and prints one table. Starts its own
// servers on free ports and in temporary folders.
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { type Contenders, measureCold, measureFreshStart, rateOf } from "./bench/cold.ts";
import { measureEvents } from "./bench/events.ts";
import { flood } from "./bench/flood.ts";
import { measureInboxes } from "./bench/inboxes.ts";
import { type Generate, measureIngest } from "./bench/ingest.ts";
import { startMailkeep } from "./bench/mailkeep.ts";
import { measureNodes } from "./bench/nodes.ts";
import { type Options, readOptions, type Section, USAGE } from "./bench/options.ts";
import { startPeer } from "./bench/peers.ts";
import { runSource, startSink } from "./bench/postfix.ts";
import { measureReading } from "./bench/reading.ts";
import { measureResources } from "./bench/resources.ts";
import { killAll, type ServerUnderTest } from "./bench/server.ts";
import { type Figure, formatTable, type Report } from "./bench/table.ts";
import { endWith } from "./flags.ts";

/** The bench ends after this time at the latest. */
const LIMIT_MS = { quick: 5 * 60_000, normal: 40 * 60_000, full: 120 * 60_000 } as const;
const SIZES = {
  quick: [1000, 10_000],
  normal: [1000, 10_000, 100_000],
  full: [1000, 10_000, 100_000, 1_000_000],
} as const;

const LEGENDS: Readonly<Record<string, string>> = {
  Cold: [
    "the first 3,000 mails of a fresh server, from the first connection until a search finds all of them.",
    "  Mails a second, or as a share of smtp-sink's rate if it is installed. Our own generator sends the load.",
    "  ours / theirs: our rate divided by that of --against, median of the rounds. The note has both median rates.",
  ].join("\n"),
  Ingest: [
    "mails a second, or as a share of the rate of smtp-sink, which stores nothing, if it is installed.",
    "  kept: connections stay open; single: one connection for each mail. The note has the mails a second of both,",
    "  the server's processor time for a mail and its peak memory (MB: 1,000,000 bytes).",
  ].join("\n"),
  Reading: "with so many mails stored, the median time of a request over a kept connection.",
  Inboxes:
    "with 100 mails in each, the median time of a request to one of them. The note has the time for all mail.",
  Nodes: [
    "mails a second until every node lists all. PostgreSQL, the nodes and the load share this machine.",
    "  an event: from a mail's 250 at one node to its frame at the other.",
  ].join("\n"),
  Events:
    "from a mail's 250 to its frame, timed by ten clients. A frame that comes before the 250 counts as 0.",
};

const tell = (text: string) => process.stderr.write(`${text}\n`);

type Measure = (options: Options, folder: string, report: Report) => Promise<void>;

const ingest: Measure = async ({ extent, executable, postfix, ownGenerator, peers }, folder, report) => {
  const generate: Generate =
    postfix === null || ownGenerator ? flood : (port, load) => runSource(postfix, port, load, folder);
  const others: ServerUnderTest[] = [];
  if (postfix !== null) others.push(await startSink(postfix));
  for (const [name, file] of peers) others.push(await startPeer(name, file, folder));
  await measureIngest({
    startMailkeep: async () => startMailkeep(executable, await mkdtemp(join(folder, "ingest-"))),
    others,
    isQuick: extent === "quick",
    generate,
    hasTargets: generate !== flood,
    report,
  });
  for (const server of others) await server.stop();
};

const cold: Measure = async ({ extent, executable, against, postfix }, folder, report) => {
  const sink = postfix === null ? null : await startSink(postfix);
  const contenders: Contenders = {
    ours: (load) => measureFreshStart(executable, folder, load),
    theirs: against === null ? null : (load) => measureFreshStart(against, folder, load),
    sink: sink === null ? null : (load) => rateOf(sink.smtpPort, null, load),
  };
  await measureCold(contenders, extent === "quick" ? 3 : 21, report);
  await sink?.stop();
};

const events: Measure = async ({ extent, executable }, folder, report) => {
  const server = await startMailkeep(executable, join(folder, "events"));
  const isQuick = extent === "quick";
  await measureEvents(server, isQuick ? [1, 100] : [1, 100, 1000], isQuick ? 3 : 10, report);
  await server.stop();
};

const MEASURE: Readonly<Record<Section, Measure>> = {
  cold,
  ingest,
  reading: ({ executable, extent }, folder, report) =>
    measureReading(executable, folder, SIZES[extent], report),
  inboxes: async ({ executable, extent }, folder, report) =>
    measureInboxes(
      executable,
      await mkdtemp(join(folder, "inboxes-")),
      extent === "quick" ? 100 : 1000,
      report,
    ),
  events,
  resources: ({ executable, extent }, folder, report) =>
    measureResources(executable, folder, extent === "quick" ? 10 : 100, report),
  nodes: ({ executable, extent }, folder, report) =>
    measureNodes({
      executable,
      folder,
      mails: extent === "quick" ? 2000 : 10_000,
      stored: extent === "quick" ? 10_000 : 100_000,
      report,
    }),
};

async function bench(options: Options): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "mailkeep-bench-"));
  const figures = new Map<string, Figure>();
  const add = (...found: readonly Figure[]) => {
    for (const figure of found) figures.set(`${figure.section}, ${figure.name}`, figure);
  };
  const report: Report = { tell, add };
  const show = () =>
    console.log(
      options.json
        ? JSON.stringify([...figures.values()], null, 2)
        : `${about(options)}\n\n${formatTable([...figures.values()], LEGENDS)}`,
    );
  let leaving: Promise<never> | null = null;
  /** Runs only once: it kills the servers, so the running measurement fails and calls it again. */
  const leave = (code: number) => {
    leaving ??= killAll()
      .then(() => rm(folder, { recursive: true, force: true }))
      .then(() => process.exit(code));
    return leaving;
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void leave(1));
  setTimeout(() => {
    tell(`given up after ${LIMIT_MS[options.extent] / 60_000} minutes: this machine is too slow or too busy`);
    show();
    void leave(0);
  }, LIMIT_MS[options.extent]);
  try {
    for (const section of options.sections) await MEASURE[section](options, folder, report);
    show();
    await leave(0);
  } catch (error) {
    if (leaving === null) tell(String(error));
    await leave(1);
  }
}

/** Says what was measured, and with which tools. Printed above the table. */
function about({ executable, against, postfix, ownGenerator }: Options): string {
  const { length } = cpus();
  const model = cpus()[0]?.model.trim() ?? "unknown";
  const what = existsSync(executable) ? shortest(executable) : "from source, not built";
  const generator = postfix === null || ownGenerator ? "a generator of ours" : "postfix's smtp-source";
  return [
    `${length} cores${model === "unknown" ? "" : ` (${model})`}, ${process.platform}, Bun ${Bun.version}`,
    `Mailkeep: ${what}, durability os; load by ${generator}`,
    ...(against === null ? [] : [`Against: ${shortest(against)}`]),
  ].join("\n");
}

function shortest(path: string): string {
  const fromHere = relative(".", path);
  return fromHere.length < path.length ? fromHere : path;
}

function optionsOrEnd(): Options {
  try {
    return readOptions(process.argv.slice(2)) ?? endWith(0, USAGE);
  } catch (error) {
    return endWith(2, `${(error as Error).message}\n\n${USAGE}`);
  }
}

await bench(optionsOrEnd());
