// The measured Mailkeep: the executable if it is built, otherwise from source.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type ServerUnderTest, stop, watched } from "./server.ts";

export interface Mailkeep extends ServerUnderTest {
  readonly http: string;
  /** From the start of the process to the line that says ready. */
  readonly startMs: number;
}

const root = join(import.meta.dir, "../..");
const START_TIMEOUT_MS = 300_000;

export const defaultExecutable = join(root, "dist", "mailkeep");

function commandOf(executable: string): string[] {
  return existsSync(executable) ? [executable] : [process.execPath, join(root, "src/main.ts")];
}

async function readyLine(output: ReadableStream<Uint8Array>): Promise<{ smtp: string; http: string }> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of output) {
    text += decoder.decode(chunk, { stream: true });
    const line = text.split("\n").find((line) => line.includes('"event":"ready"') && line.endsWith("}"));
    if (line !== undefined) return JSON.parse(line);
  }
  throw new Error(`Mailkeep ended before it was ready: ${text}`);
}

export async function startMailkeep(
  executable: string,
  dataDir: string,
  further: readonly string[] = [],
): Promise<Mailkeep> {
  const usual = ["serve", "--smtp-port=0", "--http-port=0", "--log-format=json", "--log-level=warn"];
  const args = [...usual, ...further];
  const started = performance.now();
  const child = Bun.spawn([...commandOf(executable), ...args, `--data-dir=${dataDir}`], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  watched(child);
  const timer = setTimeout(() => child.kill("SIGKILL"), START_TIMEOUT_MS);
  const { smtp, http } = await readyLine(child.stdout);
  const startMs = performance.now() - started;
  clearTimeout(timer);
  return {
    name: "Mailkeep",
    pid: child.pid,
    smtpPort: Number(smtp.split(":").at(-1)),
    http,
    startMs,
    finds: async (word) => (await total(http, `q=${word}`)) > 0,
    listed: () => total(http),
    stop: () => stop(child),
  };
}

export async function total(http: string, query = ""): Promise<number> {
  const response = await fetch(`${http}/api/v1/messages?limit=1&${query}`);
  const { total } = (await response.json()) as { total: number };
  return total;
}
