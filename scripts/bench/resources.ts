// Resources: start-up, memory at rest and under large mails, processor time for small ones, size of the executable.
import { join } from "node:path";
import { flood, type Load } from "./flood.ts";
import { startMailkeep, total } from "./mailkeep.ts";
import { cpuSeconds, peakMegabytes, resetPeak, residentMegabytes } from "./process-usage.ts";
import { SmtpConnection, type Step } from "./smtp-connection.ts";
import { type Figure, type Report, type Target, under } from "./table.ts";

const SECTION = "Resources";
const STARTS = 5;
const MiB = 1024 ** 2;
const LINE = `${"M".repeat(76)}\r\n`;
const HEAD = [
  "Subject: A large file",
  'Content-Type: application/octet-stream; name="large.bin"',
  "Content-Transfer-Encoding: base64",
  "\r\n",
].join("\r\n");
const SMALL_MAILS: Load = { kind: "2 KB prose", mails: 10_000, connections: 8, kept: true };
const LARGE_MAIL = `${HEAD}${LINE.repeat((25 * MiB) / LINE.length)}.\r\n`;

function* largeMail(bytes: Uint8Array): Generator<Step> {
  yield { bytes: "EHLO bench\r\n", replies: 1 };
  yield { bytes: "MAIL FROM:<shop@example.com>\r\nRCPT TO:<reader@example.com>\r\nDATA\r\n", replies: 3 };
  yield { bytes, replies: 1 };
  yield { bytes: "QUIT\r\n", replies: 1 };
}

/** The processor time per mail with its indexing: just after the start, and with warm code. */
async function processorTime(executable: string, folder: string, tell: (text: string) => void) {
  tell("resources: small mails");
  const server = await startMailkeep(executable, join(folder, "small"));
  const costOfMail = async () => {
    const before = cpuSeconds(server.pid);
    await flood(server.smtpPort, SMALL_MAILS);
    // The search answers when all mails are indexed.
    await total(server.http, "q=number1");
    return ((cpuSeconds(server.pid) - before) / SMALL_MAILS.mails) * 1e6;
  };
  const costs = { "just started": await costOfMail(), warm: await costOfMail() };
  await server.stop();
  return costs;
}

export async function measureResources(
  executable: string,
  folder: string,
  largeMails: number,
  report: Report,
): Promise<void> {
  const { tell } = report;
  const add = (name: string, value: number, unit: Figure["unit"], target?: Target) =>
    report.add({ section: SECTION, name, value, unit, target });

  tell("resources: starting");
  const starts: number[] = [];
  for (let turn = 0; turn < STARTS; turn++) {
    const server = await startMailkeep(executable, join(folder, `start-${turn}`));
    starts.push(server.startMs);
    await server.stop();
  }
  add("start-up to ready, empty, best of 5", Math.min(...starts), "ms", under(100));

  const server = await startMailkeep(executable, join(folder, "large"));
  await fetch(`${server.http}/api/v1/messages`);
  await Bun.sleep(1000);
  add("memory, idle", residentMegabytes(server.pid), "MB", under(60));

  tell(`resources: ${largeMails} mails of 25 MiB at once`);
  resetPeak(server.pid);
  const bytes = Buffer.from(LARGE_MAIL);
  await Promise.all(
    Array.from({ length: largeMails }, () => SmtpConnection.talk(server.smtpPort, largeMail(bytes))),
  );
  add(`peak memory, ${largeMails} mails of 25 MiB at once`, peakMegabytes(server.pid), "MB", under(250));
  await server.stop();

  for (const [turn, microseconds] of Object.entries(await processorTime(executable, folder, tell)))
    add(`processor time for a mail, 2 KB prose, 8 kept, ${turn}`, microseconds, "µs");
  // NaN when Mailkeep runs from source.
  add("size of the executable", (Bun.file(executable).size || Number.NaN) / 1e6, "MB");
}
