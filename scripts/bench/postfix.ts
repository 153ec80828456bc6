// Postfix's tools: smtp-source sends mail. smtp-sink accepts mail and stores nothing, so its rate is the practical
// maximum. They are on PATH or in a folder where the package was unpacked.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../postgres.ts";
import type { Load } from "./flood.ts";
import { mailsOf } from "./mails.ts";
import { type ServerUnderTest, start, stop, untilListening } from "./server.ts";

export interface Postfix {
  readonly source: string;
  readonly sink: string;
  readonly environment: Record<string, string>;
}

const BACKLOG = 1000;
const PLAIN_BYTES = 2048;

export function findPostfix(folder: string | undefined): Postfix | null {
  const path = folder === undefined ? process.env.PATH : join(folder, "usr", "sbin");
  const [source, sink] = ["smtp-source", "smtp-sink"].map((name) => Bun.which(name, { PATH: path ?? "" }));
  if (!source || !sink) return null;
  const libraries = folder === undefined ? "" : join(folder, "usr", "lib", "postfix");
  return { source, sink, environment: existsSync(libraries) ? { LD_LIBRARY_PATH: libraries } : {} };
}

export async function startSink({ sink, environment }: Postfix): Promise<ServerUnderTest> {
  const port = freePort();
  const user = process.getuid?.() === 0 ? ["-u", "root"] : [];
  const child = start([sink, ...user, `127.0.0.1:${port}`, String(BACKLOG)], environment);
  await untilListening(port);
  return {
    name: "smtp-sink",
    pid: child.pid,
    smtpPort: port,
    finds: null,
    listed: null,
    stop: () => stop(child),
  };
}

/** smtp-source makes "2 KB" mails itself. For other kinds it repeats one mail from a file. */
async function contentFlags({ kind }: Load, folder: string): Promise<string[]> {
  if (kind === "2 KB") return ["-l", String(PLAIN_BYTES)];
  const file = join(folder, `${kind.replaceAll(" ", "-")}.eml`);
  // The file has lines that end with LF, because smtp-source adds the CR.
  await Bun.write(file, mailsOf(kind)(1).toString("latin1").replaceAll("\r\n", "\n"));
  return ["-F", file];
}

/** Resolves when the last mail is acknowledged. */
export async function runSource(
  { source, environment }: Postfix,
  port: number,
  load: Load,
  folder: string,
): Promise<void> {
  const child = Bun.spawn(
    [
      source,
      ...(load.kept ? ["-d"] : []),
      ...["-s", String(load.connections), "-m", String(load.mails)],
      ...(await contentFlags(load, folder)),
      ...["-f", "shop@example.com", "-t", "reader@example.com", `127.0.0.1:${port}`],
    ],
    { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, ...environment } },
  );
  if ((await child.exited) !== 0) throw new Error(`smtp-source: ${await new Response(child.stderr).text()}`);
}
