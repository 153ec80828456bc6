// Resources: start-up, memory at rest and under large mails, size of the executable.
import { join } from "node:path";
import { type Figure, type Target, under } from "./figure.ts";
import { executableBytes, startMailkeep } from "./mailkeep.ts";
import { peakMegabytes, resetPeak, residentMegabytes } from "./process-usage.ts";
import { SmtpConnection, type Step } from "./smtp-connection.ts";

const SECTION = "Resources";
const STARTS = 5;
const MiB = 1024 ** 2;
const LARGE_BYTES = 25 * MiB;
const PIECE = Buffer.from(`${"M".repeat(76)}\r\n`.repeat(Math.ceil(MiB / 78)));

/** One large mail, handed over piece by piece: the sender's memory stays flat as well. */
function* largeMail(): Generator<Step> {
  yield { bytes: "EHLO bench\r\n", replies: 1 };
  yield { bytes: "MAIL FROM:<shop@example.com>\r\nRCPT TO:<reader@example.com>\r\n", replies: 2 };
  const pieces = Math.floor(LARGE_BYTES / PIECE.length);
  for (let piece = 1; piece <= pieces; piece++) {
    const last = piece === pieces ? " LAST" : "";
    yield { bytes: Buffer.concat([Buffer.from(`BDAT ${PIECE.length}${last}\r\n`), PIECE]), replies: 1 };
  }
  yield { bytes: "QUIT\r\n", replies: 1 };
}

export async function measureResources(
  executable: string,
  folder: string,
  largeMails: number,
  tell: (text: string) => void,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  const add = (name: string, value: number, unit: Figure["unit"], target?: Target) =>
    figures.push({ section: SECTION, name, value, unit, target });

  tell("resources: starting");
  const starts: number[] = [];
  for (let turn = 0; turn < STARTS; turn++) {
    const server = await startMailkeep(executable, join(folder, `start-${turn}`));
    starts.push(server.startMs);
    await server.stop();
  }
  add("start-up to ready, empty", Math.min(...starts), "ms", under(100));

  const server = await startMailkeep(executable, join(folder, "large"));
  await fetch(`${server.http}/api/v1/messages`);
  await Bun.sleep(1000);
  add("memory, idle", residentMegabytes(server.pid), "MB", under(70));

  tell(`resources: ${largeMails} mails of 25 MiB at once`);
  resetPeak(server.pid);
  await Promise.all(
    Array.from({ length: largeMails }, () => SmtpConnection.talk(server.smtpPort, largeMail())),
  );
  add(`peak memory, ${largeMails} mails of 25 MiB at once`, peakMegabytes(server.pid), "MB", under(400));
  await server.stop();

  add("size of the executable", executableBytes(executable) / 1e6, "MB");
  return figures;
}
