// Asks a server over HTTP and SMTP again and again, from its own thread, and measures each answer. Work of the test
// itself, and waiting for a processor, do not count.
import { connect } from "node:net";
import { openSmtp } from "../../../support/smtp-client.ts";
import { mainThreadOf, searchThreadOf, THIS_THREAD, waitedForProcessorMs } from "./resources.ts";

declare const self: Worker;

export interface ProbeTarget {
  readonly http: string;
  readonly smtpPort: number;
  readonly pid: number;
}

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

/** With a plain socket: all fetches of a process share one thread. */
function get(http: string, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(http).port), "127.0.0.1");
    let hasAnswered = false;
    socket.once("data", () => {
      hasAnswered = true;
    });
    socket.on("error", reject);
    socket.on("close", () => (hasAnswered ? resolve() : reject(new Error(`no answer to ${path}`))));
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  });
}

/** Returns how long each answer took. */
async function probe({ http, smtpPort, pid }: ProbeTarget): Promise<number[]> {
  const smtp = new SmtpProbe(smtpPort);
  await smtp.ask();
  const both = [mainThreadOf(pid), THIS_THREAD];
  /** Each runs independently of the others. */
  const again = async (ask: () => Promise<unknown>, threads = both): Promise<number[]> => {
    const times: number[] = [];
    while (!stopped) {
      const waited = waitedForProcessorMs(threads);
      const started = performance.now();
      await ask();
      const took = performance.now() - started;
      times.push(Math.max(0, took - (waitedForProcessorMs(threads) - waited)));
      await Bun.sleep(PAUSE_MS);
    }
    return times;
  };
  postMessage("ready");
  const times = await Promise.all([
    again(() => get(http, "/api/v1/messages?limit=1")),
    again(() => get(http, "/api/v1/messages?limit=1&q=word"), [...both, searchThreadOf(pid)]),
    again(() => get(http, "/api/v1/health")),
    again(() => smtp.ask()),
  ]);
  smtp.end();
  return times.flat();
}

self.onmessage = ({ data }: MessageEvent<ProbeTarget | "stop">) => {
  if (data === "stop") stopped = true;
  else
    probe(data).then(
      (times) => postMessage({ times }),
      (error) => postMessage({ error: String(error) }),
    );
};
