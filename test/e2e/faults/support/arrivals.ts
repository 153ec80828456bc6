// Mails that keep arriving over a few connections, and what each sender was told.
import type { SteppedClock } from "../../../support/clock/stepped-clock.ts";
import type { Running } from "../../../support/mailkeep.ts";
import { openSmtp } from "../../../support/smtp-client.ts";

export interface Arrival {
  readonly id: string;
  readonly subject: string;
  /** The clock before the mail was sent and when it was answered; null where it was set in between. */
  readonly between: readonly [number, number] | null;
}

export interface Arrivals {
  /** One list for each sender, in the order of the answers. */
  readonly bySender: readonly Arrival[][];
  /** Resolves when so many more mails have been answered. */
  more(count: number): Promise<void>;
  /** Resolves when the last one has been answered. */
  stop(): Promise<void>;
}

const SENDERS = 3;
/** Enough for a file of its own. */
export const LARGE_BYTES = 300_000;

export function keepSending(server: Running, clock: SteppedClock): Arrivals {
  let isOver = false;
  let awaited: { readonly total: number; readonly resolve: () => void } | null = null;
  const bySender = Array.from({ length: SENDERS }, (): Arrival[] => []);
  const total = () => bySender.reduce((sum, arrivals) => sum + arrivals.length, 0);
  const senders = bySender.map(async (arrivals, sender) => {
    const client = await openSmtp(server.smtpPort);
    await client.reply();
    await client.command("EHLO steady");
    while (!isOver) {
      arrivals.push(await send(`s${sender}i${arrivals.length}`, arrivals.length % 10 === 9));
      if (awaited !== null && total() >= awaited.total) awaited.resolve();
    }
    client.end();

    async function send(subject: string, isLarge: boolean): Promise<Arrival> {
      const raw = `Subject: ${subject}\r\n\r\n${"x".repeat(isLarge ? LARGE_BYTES : 10)}\r\n`;
      const [steps, before] = [clock.steps, clock.now()];
      client.write(
        `MAIL FROM:<${subject}@example.com>\r\nRCPT TO:<b@example.com>\r\nBDAT ${raw.length} LAST\r\n${raw}`,
      );
      await client.reply();
      await client.reply();
      const reply = await client.reply();
      const [, id] = /^250 .*Stored as (\S+)/.exec(reply) ?? [];
      if (!id) throw new Error(`${subject} was refused: ${reply}`);
      return { id, subject, between: clock.steps === steps ? [before, clock.now()] : null };
    }
  });
  const ended = Promise.all(senders);
  ended.catch(() => {});
  return {
    bySender,
    async more(count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      awaited = { total: total() + count, resolve };
      await Promise.race([promise, ended]);
    },
    async stop() {
      isOver = true;
      await ended;
    },
  };
}
