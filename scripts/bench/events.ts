// Events: how long after its 250 a mail is announced to WebSocket clients, while mails arrive at a steady rate. Sender
// and clients are one process, so that there is one clock.
import type { Socket } from "bun";
import { EventClient } from "./event-client.ts";
import type { Mailkeep } from "./mailkeep.ts";
import { mailsOf } from "./mails.ts";
import { peakMegabytes, resetPeak } from "./process-usage.ts";
import { percentile, type Report, under } from "./table.ts";

const SECTION = "Events";
const MAILS_PER_SECOND = 1000;
const SENDERS = 10;
const TURN_MS = 5;
/** The number of clients that read every frame. The others discard them. */
const READING_CLIENTS = 10;
const ARRIVAL_TIMEOUT_MS = 10_000;
const STORED_ID = /250[^\r\n]*? ([0-9A-HJKMNP-TV-Z]{26})/g;
const EVENT_ID = Buffer.from('"id":"');
const ULID_CHARS = 26;

/** Sends mails by BDAT, a whole mail in one write, and notes when each 250 came. */
class PacedSender {
  readonly #build = mailsOf("2 KB prose");
  readonly #sockets: Socket[] = [];
  readonly #acknowledged: Map<string, number>;

  constructor(acknowledged: Map<string, number>) {
    this.#acknowledged = acknowledged;
  }

  async connect(port: number): Promise<void> {
    for (let at = 0; at < SENDERS; at++) {
      const socket = await Bun.connect({
        hostname: "127.0.0.1",
        port,
        socket: { data: (_, bytes) => this.#received(bytes) },
      });
      socket.write("EHLO bench\r\n");
      this.#sockets.push(socket);
    }
  }

  send(number: number): void {
    const mail = this.#build(number);
    const envelope = `MAIL FROM:<shop@example.com>\r\nRCPT TO:<reader@example.com>\r\nBDAT ${mail.length} LAST\r\n`;
    this.#sockets[number % SENDERS]?.write(Buffer.concat([Buffer.from(envelope), mail]));
  }

  close(): void {
    for (const socket of this.#sockets) socket.end("QUIT\r\n");
  }

  #received(bytes: Buffer): void {
    const now = performance.now();
    for (const [, id = ""] of bytes.toString("latin1").matchAll(STORED_ID)) this.#acknowledged.set(id, now);
  }
}

async function sendSteadily(sender: PacedSender, seconds: number): Promise<number> {
  const mails = seconds * MAILS_PER_SECOND;
  const started = performance.now();
  for (let sent = 0; sent < mails; ) {
    const due = Math.min(mails, ((performance.now() - started) * MAILS_PER_SECOND) / 1000);
    while (sent < due) sender.send(sent++);
    await Bun.sleep(TURN_MS);
  }
  return mails;
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + ARRIVAL_TIMEOUT_MS;
  while (!condition() && performance.now() < deadline) await Bun.sleep(TURN_MS);
}

export async function measureEvents(
  server: Mailkeep,
  clientCounts: readonly number[],
  seconds: number,
  { tell, add }: Report,
): Promise<void> {
  for (const count of clientCounts) {
    tell(`events: ${count} clients`);
    const acknowledged = new Map<string, number>();
    const arrivals: { id: string; at: number }[] = [];
    const readFrame = (frame: Buffer) => {
      const from = frame.indexOf(EVENT_ID) + EVENT_ID.length;
      arrivals.push({ id: frame.toString("latin1", from, from + ULID_CHARS), at: performance.now() });
    };
    const reading = Math.min(READING_CLIENTS, count);
    const clients: EventClient[] = [];
    for (let at = 0; at < count; at++) {
      const isReading = at % (count / reading) === 0;
      clients.push(await EventClient.connect(server.http, isReading ? readFrame : () => {}));
    }
    resetPeak(server.pid);
    const sender = new PacedSender(acknowledged);
    await sender.connect(server.smtpPort);
    const sent = await sendSteadily(sender, seconds);
    await until(() => acknowledged.size === sent && arrivals.length === sent * reading);
    sender.close();
    const lost = clients.filter(({ isLost }) => isLost).length;
    for (const client of clients) client.close();

    // A frame may come before the 250: then there was no delay.
    const delays = arrivals.map(({ id, at }) => Math.max(0, at - (acknowledged.get(id) ?? Number.NaN)));
    const number = (value: number) => value.toLocaleString("en");
    const note = `${number(arrivals.length)} of ${number(sent * reading)} frames`;
    const rest = `${number(sent - acknowledged.size)} refused, ${number(lost)} closed, peak ${Math.round(peakMegabytes(server.pid))} MB`;
    const name = `${number(count)} ${count === 1 ? "client" : "clients"}, ${number(MAILS_PER_SECOND)} mails/s`;
    const target = count === 100 ? under(20) : undefined;
    add({
      section: SECTION,
      name: `${name}: p50`,
      value: percentile(delays, 0.5),
      unit: "ms",
      note,
    });
    add({
      section: SECTION,
      name: `${name}: p99`,
      value: percentile(delays, 0.99),
      unit: "ms",
      target,
      note: rest,
    });
  }
}
