// Clients that send, mark, delete and clear without a pause and record every answer in the ledger, until the server is
// gone.
import { openSession } from "../../../support/smtp-client.ts";
import { until } from "../../../support/until.ts";
import type { Ledger } from "./ledger.ts";

interface Target {
  readonly smtpPort: number;
  readonly http: string;
}

const LARGE_BYTES = 300_000;

/** Every ninth mail is large enough for its own file. */
function makeMail(subject: string, index: number): Buffer {
  const filler = index % 9 === 8 ? "0123456789abcdef\r\n".repeat(LARGE_BYTES / 18) : `${subject} `.repeat(20);
  return Buffer.from(
    `Subject: ${subject}\r\nX-Index: ${index}\r\n\r\n.${filler}\r\n.\r\nend of ${subject}\r\n`,
  );
}

/** Sends on one connection, each mail in one piece. Some mails are marked or deleted afterwards. */
async function sendForEver(target: Target, ledger: Ledger, name: string): Promise<void> {
  const client = await openSession(target.smtpPort);
  for (let index = 0; ; index++) {
    const subject = `${name}i${index}`;
    const raw = makeMail(subject, index);
    ledger.send(subject, raw);
    client.write(
      `MAIL FROM:<${subject}@example.com>\r\nRCPT TO:<to@example.com>\r\nBDAT ${raw.length} LAST\r\n`,
    );
    client.write(raw);
    await client.reply();
    await client.reply();
    const [, id] = /^250 .*Stored as (\S+)/.exec(await client.reply()) ?? [];
    if (!id) throw new Error(`${subject} was refused`);
    ledger.stored(subject, id);
    if (index % 3 === 1) await mark(target, ledger, subject, id, index);
    if (index % 4 === 2) await remove(target, ledger, subject, id);
  }
}

async function mark(target: Target, ledger: Ledger, subject: string, id: string, index: number) {
  const marks = { is_starred: index % 2 === 1, tags: [`t${index}`] };
  ledger.mark(subject, marks);
  const { status } = await fetch(`${target.http}/api/v1/messages/${id}`, {
    method: "PATCH",
    body: JSON.stringify(marks),
  });
  ledger.marked(subject, status === 200);
}

async function remove(target: Target, ledger: Ledger, subject: string, id: string) {
  ledger.delete(subject);
  const { status } = await fetch(`${target.http}/api/v1/messages/${id}`, { method: "DELETE" });
  if (status !== 204 && status !== 404) throw new Error(`deleting was answered with ${status}`);
  ledger.deleted(subject);
}

/** Clears the mailbox each time that `answers` more answers have come. */
async function clearEvery(target: Target, ledger: Ledger, answers: number, isGone: () => boolean) {
  for (let next = ledger.acknowledged + answers; ; ) {
    await until(() => isGone() || ledger.acknowledged >= next, "enough answers to clear after");
    if (isGone()) return;
    const clear = ledger.clear();
    await (await fetch(`${target.http}/api/v1/messages`, { method: "DELETE" })).json();
    clear.done();
    next = ledger.acknowledged + answers;
  }
}

export interface LoadOptions {
  readonly senders: number;
  /** Part of the subjects, so that the mails of each load are distinct. */
  readonly name: string;
  readonly clearEvery: number;
}

/** Resolves when the server is gone and all clients have ended; rejects if one fails before. */
export async function loadUntilGone(
  target: Target,
  ledger: Ledger,
  options: LoadOptions,
  isGone: () => boolean,
): Promise<void> {
  const clients = Array.from({ length: options.senders }, (_, sender) =>
    sendForEver(target, ledger, `${options.name}s${sender}`),
  );
  const all = [...clients, clearEvery(target, ledger, options.clearEvery, isGone)];
  await Promise.all(
    all.map((client) =>
      client.catch((error) => {
        if (!isGone()) throw error;
      }),
    ),
  );
}
