// Asks a server over HTTP and SMTP again and again, from a thread of its own, and notes how long each answer
// took: neither what the test itself is busy with counts, nor how long the server had to wait for a processor.

import { openSmtp } from "../../../support/smtp-client.ts";
import { waitedForProcessorMs } from "./resources.ts";

declare const self: Worker;

export interface ProbeTarget {
  readonly http: string;
  readonly smtpPort: number;
  readonly pid: number;
}

export type Probed = "list" | "search" | "health" | "smtp";
/** How long each answer took. */
export type ProbeTimes = Readonly<Record<Probed, readonly number[]>>;

const PAUSE_MS = 10;

let stopped = false;

/** A session that sends no mail is ended after a thousand commands. */
const COMMANDS_PER_SESSION = 500;

class SmtpProbe {
  #client: Awaited<ReturnType<typeof openSmtp>> | null = null;
  #commands = 0;
  readonly #port: number;

  constructor(port: number) {
    this.#port = port;
  }

  async ask(): Promise<void> {
    this.#client ??= await this.#open();
    await this.#client.command("EHLO probe");
    if (++this.#commands % COMMANDS_PER_SESSION === 0) this.end();
  }

  end(): void {
    this.#client?.end();
    this.#client = null;
  }

  async #open() {
    const client = await openSmtp(this.#port);
    await client.reply();
    return client;
  }
}

async function probe({ http, smtpPort, pid }: ProbeTarget): Promise<ProbeTimes> {
  const smtp = new SmtpProbe(smtpPort);
  await smtp.ask();
  const read = async (path: string) => (await fetch(http + path)).arrayBuffer();
  /** Each goes on whatever the others wait for. */
  const again = async (ask: () => Promise<unknown>): Promise<number[]> => {
    const times: number[] = [];
    while (!stopped) {
      const waited = waitedForProcessorMs(pid);
      const started = performance.now();
      await ask();
      const took = performance.now() - started;
      times.push(Math.max(0, took - (waitedForProcessorMs(pid) - waited)));
      await Bun.sleep(PAUSE_MS);
    }
    return times;
  };
  postMessage("ready");
  const [list, search, health, smtpTimes] = await Promise.all([
    again(() => read("/api/v1/messages?limit=1")),
    again(() => read("/api/v1/messages?limit=1&q=word")),
    again(() => read("/api/v1/health")),
    again(() => smtp.ask()),
  ]);
  smtp.end();
  return { list, search, health, smtp: smtpTimes };
}

self.onmessage = ({ data }: MessageEvent<ProbeTarget | "stop">) => {
  if (data === "stop") stopped = true;
  else
    probe(data).then(
      (times) => postMessage({ times }),
      (error) => postMessage({ error: String(error) }),
    );
};
