// Several nodes: the same load into the embedded store, into one node on PostgreSQL and into two
// such nodes. PostgreSQL, the nodes and the load generator share this machine.
import { join } from "node:path";
import { findPostgres, startPostgres } from "../postgres.ts";
import { EventClient } from "./event-client.ts";
import { deliver, flood, kept } from "./flood.ts";
import { type Mailkeep, startMailkeep, total } from "./mailkeep.ts";
import { count, type Figure, median, type Report } from "./table.ts";

const SECTION = "Nodes";
const ROUNDS = 3;
const ASKED = 200;
const EVENTS = 100;

export interface NodesOptions {
  readonly executable: string;
  readonly folder: string;
  /** The number of mails in one round. With one connection, only a quarter of them is sent. */
  readonly mails: number;
  /** The mails in the mailbox when the first page is read, and when a new node catches up. */
  readonly stored: number;
  readonly report: Report;
}

/** Sends to all nodes at once. Each must then list every mail. */
async function rateInto(nodes: readonly Mailkeep[], connections: number, mails: number): Promise<number> {
  const rates: number[] = [];
  const share = kept(connections / nodes.length, mails / nodes.length);
  for (let round = -1; round < ROUNDS; round++) {
    const before = await total(nodes[0]?.http ?? "");
    const started = performance.now();
    await Promise.all(nodes.map(({ smtpPort }) => flood(smtpPort, share)));
    const listed = await Promise.all(nodes.map(({ http }) => total(http)));
    if (round >= 0) rates.push((mails / (performance.now() - started)) * 1000);
    if (listed.some((found) => found !== before + mails)) throw new Error(`listed are ${listed.join(", ")}`);
  }
  return median(rates);
}

async function medianMs(ask: () => Promise<unknown>, times: number): Promise<number> {
  const taken: number[] = [];
  for (let turn = -20; turn < times; turn++) {
    const started = performance.now();
    await ask();
    if (turn >= 0) taken.push(performance.now() - started);
  }
  return median(taken);
}

const readPage = (http: string) => async () =>
  (await fetch(`${http}/api/v1/messages?limit=50`)).arrayBuffer();

/** Measures the median time from a mail's 250 at one node to its event at the other. */
async function eventDelay(from: Mailkeep, to: Mailkeep): Promise<number> {
  let heard = Promise.withResolvers<number>();
  const client = await EventClient.connect(to.http, () => heard.resolve(performance.now()));
  const delays: number[] = [];
  for (let n = 0; n < EVENTS; n++) {
    heard = Promise.withResolvers();
    await deliver(from.smtpPort, `Subject: ${n}\r\n\r\n${n}\r\n`);
    const acknowledged = performance.now();
    delays.push(Math.max(0, (await heard.promise) - acknowledged));
  }
  client.close();
  return median(delays);
}

export async function measureNodes(options: NodesOptions): Promise<void> {
  const { executable, folder, mails, stored, report } = options;
  const programs = findPostgres();
  if (programs === null) {
    report.tell("nodes: PostgreSQL is not installed");
    return;
  }
  const add = (name: string, value: number, unit: Figure["unit"], note?: string) =>
    report.add({ section: SECTION, name, value, unit, note });
  const postgres = await startPostgres(programs);
  try {
    const store = await postgres.createDatabase();
    const startNode = (name: string) => startMailkeep(executable, join(folder, name), ["--store", store]);
    const embedded = await startMailkeep(executable, join(folder, "embedded"));
    const nodes = [await startNode("node-1"), await startNode("node-2")] as const;
    for (const connections of [1, 8, 50]) {
      report.tell(`nodes: ${connections} connections`);
      const portion = connections === 1 ? mails / 4 : mails;
      add(`embedded store, ${connections} kept`, await rateInto([embedded], connections, portion), "mails/s");
      add(`one node, ${connections} kept`, await rateInto([nodes[0]], connections, portion), "mails/s");
    }
    add("two nodes, 50 kept", await rateInto(nodes, 50, mails), "mails/s");
    add("event at the other node", await eventDelay(...nodes), "ms");
    report.tell(`nodes: a mailbox of ${count(stored)} mails`);
    const missing = async ({ http }: Mailkeep) => Math.max(0, stored - (await total(http)));
    await flood(nodes[0].smtpPort, kept(50, await missing(nodes[0])));
    await flood(embedded.smtpPort, kept(50, await missing(embedded)));
    add("first page, embedded store", await medianMs(readPage(embedded.http), ASKED), "ms");
    add("first page, node", await medianMs(readPage(nodes[1].http), ASKED), "ms");
    const late = await startNode("node-3");
    add(
      "a new node catches up",
      (stored / late.startMs) * 1000,
      "mails/s",
      `ready after ${count(late.startMs)} ms`,
    );
    for (const server of [embedded, ...nodes, late]) await server.stop();
  } finally {
    await postgres.stop();
  }
}
