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

const PAUSE_MS = 10;

let stopped = false;

async function probe({ http, smtpPort, pid }: ProbeTarget): Promise<number[]> {
  const times: number[] = [];
  const smtp = await openSmtp(smtpPort);
  await smtp.reply();
  const timed = async (ask: () => Promise<unknown>) => {
    const waited = waitedForProcessorMs(pid);
    const started = performance.now();
    await ask();
    const took = performance.now() - started;
    times.push(Math.max(0, took - (waitedForProcessorMs(pid) - waited)));
  };
  postMessage("ready");
  while (!stopped) {
    await timed(async () => (await fetch(`${http}/api/v1/messages?limit=1`)).arrayBuffer());
    await timed(() => smtp.command("EHLO probe"));
    await Bun.sleep(PAUSE_MS);
  }
  smtp.end();
  return times;
}

self.onmessage = ({ data }: MessageEvent<ProbeTarget | "stop">) => {
  if (data === "stop") stopped = true;
  else
    probe(data).then(
      (times) => postMessage({ times }),
      (error) => postMessage({ error: String(error) }),
    );
};
