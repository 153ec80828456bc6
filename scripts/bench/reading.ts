// Reading over HTTP: how the cost of the same questions grows with the size of the mailbox.
import { cp, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { flood } from "./flood.ts";
import { type Mailkeep, startMailkeep, total } from "./mailkeep.ts";
import { COMMON_WORDS } from "./mails.ts";
import { peakMegabytes, resetPeak, residentMegabytes } from "./process-usage.ts";
import { type Figure, median, type Report, type Target, under } from "./table.ts";

const SECTION = "Reading";
const PAGE = 50;
const REPEATS = 200;
const WARM_UP = 50;
const STARTS = 3;
const FILL_CONNECTIONS = 8;
/** Only figures for this many mails, and ratios, have targets. */
const TARGET_SIZE = 100_000;
/** The largest size is compared with this one. */
const BASE_SIZE = 10_000;
const LARGEST_SIZE = 1_000_000;

type Question =
  | "first page"
  | "cursor page at the end"
  | "get one"
  | "rare search"
  | "common search with total, half match"
  | "attachment"
  | "count by assertion";

const TARGETS: Readonly<Partial<Record<Question, Target>>> = {
  "first page": under(1),
  "cursor page at the end": under(1),
  "get one": under(1),
  "rare search": under(1.5),
  "common search with total, half match": under(15),
};

interface Page {
  readonly messages: readonly { readonly id: string }[];
}

async function ask(url: string): Promise<unknown> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return response.json();
}

/** Measures the median time in milliseconds until an answer is read. The requests are sent one after the other. */
export async function timeOf(urls: readonly string[]): Promise<number> {
  const times: number[] = [];
  for (let turn = -WARM_UP; turn < REPEATS; turn++) {
    const url = urls[Math.abs(turn) % urls.length] ?? "";
    const started = performance.now();
    const response = await fetch(url);
    await response.arrayBuffer();
    if (turn >= 0) times.push(performance.now() - started);
    if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  }
  return median(times);
}

async function questionsOf(http: string, size: number): Promise<Record<Question, string[]>> {
  const api = `${http}/api/v1`;
  const page = (query: string) => ask(`${api}/messages?limit=${PAGE}&${query}`) as Promise<Page>;
  const oldest = await page(`offset=${size - 2 * PAGE}`);
  const ids = (await page(`limit=200&offset=${Math.floor(size / 2)}`)).messages.map(({ id }) => id);
  const withFile = (await page("has_attachments=true")).messages[0]?.id;
  const { attachments } = (await ask(`${api}/messages/${withFile}/attachments`)) as {
    attachments: { id: string }[];
  };
  return {
    "first page": [`${api}/messages?limit=${PAGE}`],
    "cursor page at the end": [`${api}/messages?limit=${PAGE}&before=${oldest.messages.at(-PAGE)?.id}`],
    "get one": ids.map((id) => `${api}/messages/${id}`),
    "rare search": Array.from({ length: REPEATS }, (_, at) => `${api}/messages?q=number${size - at}`),
    "common search with total, half match": COMMON_WORDS.map((word) => `${api}/messages?q=${word}`),
    attachment: [`${api}/messages/${withFile}/attachments/${attachments[0]?.id}`],
    "count by assertion": [`${api}/assert/count?min=1&subject=order`],
  };
}

async function folderMegabytes(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return bytes / 1e6;
}

/** Deletes in a copy, because later measurements need the mail. */
async function timeOfDeletingAll(executable: string, dataDir: string): Promise<number> {
  const copy = `${dataDir}-copy`;
  await cp(dataDir, copy, { recursive: true });
  const server = await startMailkeep(executable, copy);
  const started = performance.now();
  const { ok, status } = await fetch(`${server.http}/api/v1/messages`, { method: "DELETE" });
  const time = performance.now() - started;
  if (!ok) throw new Error(`deleting all answered ${status}`);
  await server.stop();
  await rm(copy, { recursive: true });
  return time;
}

async function restarted(executable: string, dataDir: string, server: Mailkeep): Promise<[Mailkeep, number]> {
  let current = server;
  const times: number[] = [];
  for (let turn = 0; turn < STARTS; turn++) {
    await current.stop();
    current = await startMailkeep(executable, dataDir);
    times.push(current.startMs);
  }
  return [current, Math.min(...times)];
}

async function fill(server: Mailkeep, from: number, to: number): Promise<number> {
  const started = performance.now();
  const load = { kind: "small", mails: to - from, connections: FILL_CONNECTIONS, kept: true } as const;
  await flood(server.smtpPort, load, from + 1);
  await total(server.http, `q=number${to}`);
  return ((to - from) / (performance.now() - started)) * 1000;
}

const ratio = (figures: readonly Figure[], name: string, other: string) =>
  (figures.find((figure) => figure.name === name)?.value ?? Number.NaN) /
  (figures.find((figure) => figure.name === other)?.value ?? Number.NaN);

function growth(figures: readonly Figure[], sizes: readonly number[]): Figure[] {
  const [first, deep]: Question[] = ["first page", "cursor page at the end"];
  const found: Figure[] = [];
  const add = (name: string, value: number, limit: number) =>
    found.push({ section: SECTION, name, value, unit: "ratio", target: under(limit) });
  if (sizes.includes(TARGET_SIZE)) {
    add("100,000: deep page over first page", ratio(figures, `100,000: ${deep}`, `100,000: ${first}`), 1.2);
  }
  if (sizes.includes(LARGEST_SIZE) && sizes.includes(BASE_SIZE)) {
    for (const question of [first, deep]) {
      add(
        `${question}: 1,000,000 over 10,000`,
        ratio(figures, `1,000,000: ${question}`, `10,000: ${question}`),
        1.5,
      );
    }
  }
  return found;
}

/** `sizes` must be in rising order. */
export async function measureReading(
  executable: string,
  folder: string,
  sizes: readonly number[],
  report: Report,
): Promise<void> {
  const dataDir = join(folder, "reading");
  const figures: Figure[] = [];
  let server = await startMailkeep(executable, dataDir);
  let filled = 0;
  for (const size of sizes) {
    const label = size.toLocaleString("en");
    const isTarget = size === TARGET_SIZE;
    const add = (name: string, value: number, unit: Figure["unit"], target?: Target) => {
      const figure: Figure = {
        section: SECTION,
        name: `${label}: ${name}`,
        value,
        unit,
        target: isTarget ? target : undefined,
      };
      figures.push(figure);
      report.add(figure);
    };

    report.tell(`reading: filling up to ${label}`);
    resetPeak(server.pid);
    add("filled and searchable, 8 kept", await fill(server, filled, size), "mails/s");
    filled = size;
    const stored = await total(server.http);
    if (stored !== size) throw new Error(`${size} mails were acknowledged, ${stored} are listed`);
    add("memory after filling", residentMegabytes(server.pid), "MB", under(200));
    add("peak memory while filling", peakMegabytes(server.pid), "MB");

    report.tell(`reading: asking ${label}`);
    const [next, startMs] = await restarted(executable, dataDir, server);
    server = next;
    add("start-up to ready, best of 3", startMs, "ms", under(300));
    const questions = await questionsOf(server.http, size);
    for (const [name, urls] of Object.entries(questions)) {
      add(name, await timeOf(urls), "ms", TARGETS[name as Question]);
    }
    add("memory after reading", residentMegabytes(server.pid), "MB");
    add("peak memory while reading", peakMegabytes(server.pid), "MB");
    add("disk used", await folderMegabytes(dataDir), "MB");
    await server.stop();
    add("delete all", await timeOfDeletingAll(executable, dataDir), "ms");
    server = await startMailkeep(executable, dataDir);
  }
  await server.stop();
  report.add(...growth(figures, sizes));
}
