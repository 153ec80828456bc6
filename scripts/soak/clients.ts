// The clients of the soak. They send, read, search, mark and delete until the soak is over, and record the answers in
// the tally.
import { openSmtp } from "../../test/support/smtp-client.ts";
import type { Tally } from "./tally.ts";

export interface Target {
  readonly smtpPort: number;
  readonly http: string;
}

export interface Work {
  readonly target: Target;
  readonly tally: Tally;
  readonly isOver: () => boolean;
  readonly isWarmingUp: boolean;
}

const WORDS = [
  "invoice",
  "welcome",
  "reset",
  "password",
  "order",
  "shipped",
  "Überweisung",
  "naïve",
  "配達",
  "report",
];
const LARGE_EVERY = 50;
const LARGE_BYTES = 400_000;

const pick = <Item>(items: readonly Item[]): Item | undefined =>
  items[Math.floor(Math.random() * items.length)];
const wordOf = (index: number) => WORDS[index % WORDS.length] ?? "";

function makeMail(subject: string, index: number): Buffer {
  const text = Array.from({ length: 60 }, (_, at) => wordOf(index * 7 + at)).join(" ");
  const filler = index % LARGE_EVERY === 0 ? "QUJD".repeat(LARGE_BYTES / 4) : "QUJD";
  return Buffer.from(
    [
      `Subject: ${subject} ${wordOf(index)}`,
      'Content-Type: multipart/mixed; boundary="b"',
      "",
      "--b",
      "Content-Type: text/html; charset=utf-8",
      "",
      `<p>${text}</p><a href="https://example.com/${index}">link</a>`,
      "--b",
      "Content-Type: application/octet-stream; name=a.bin",
      "Content-Transfer-Encoding: base64",
      "",
      filler,
      "--b--",
      "",
    ].join("\r\n"),
  );
}

const pause = ({ isWarmingUp }: Work, milliseconds: number) => Bun.sleep(isWarmingUp ? 0 : milliseconds);

/** Sends twenty mails on each connection, then opens a new one. */
export async function send(work: Work, name: string, pauseMs: number): Promise<void> {
  const { target, tally, isOver } = work;
  for (let session = 0; !isOver(); session++) {
    const client = await openSmtp(target.smtpPort);
    await client.reply();
    await client.command("EHLO soak");
    for (let index = 0; index < 20 && !isOver(); index++) {
      const raw = makeMail(`${name}-${session}-${index}`, session * 20 + index);
      await client.command(`MAIL FROM:<${name}@example.com>`);
      await client.command("RCPT TO:<to@example.com>");
      client.write(`BDAT ${raw.length} LAST\r\n`);
      client.write(raw);
      const reply = await client.reply();
      const id = /^250 .*Stored as (\S+)/.exec(reply)?.[1];
      if (id) tally.stored(id);
      else tally.failed(`a mail was refused: ${reply}`);
      await pause(work, pauseMs);
    }
    await client.command("QUIT");
    client.destroy();
  }
}

/** Returns the body. A 404 is not a failure, because another client may have deleted the mail. */
async function ask({ target, tally }: Work, path: string, init: RequestInit = {}): Promise<Uint8Array> {
  const started = performance.now();
  const answer = await fetch(`${target.http}/api/v1${path}`, init);
  const body = await answer.bytes();
  tally.answered(performance.now() - started);
  if (!answer.ok && answer.status !== 404) tally.failed(`${path} was answered with ${answer.status}`);
  return body;
}

async function someIds(work: Work, query: string): Promise<string[]> {
  const page: { messages?: { id: string }[] } = JSON.parse(
    Buffer.from(await ask(work, `/messages?limit=50${query}`)).toString(),
  );
  return (page.messages ?? []).map(({ id }) => id);
}

export async function read(work: Work, pauseMs: number): Promise<void> {
  const routes = [
    "",
    "/raw",
    "/html",
    "/text",
    "/attachments",
    "/links",
    "/codes",
    "/headers",
    "/export?format=json",
  ];
  while (!work.isOver()) {
    const id = pick(await someIds(work, ""));
    if (id) for (const route of routes) await ask(work, `/messages/${id}${route}`);
    await ask(work, "/info");
    await pause(work, pauseMs);
  }
}

export async function search(work: Work, pauseMs: number): Promise<void> {
  while (!work.isOver()) {
    await someIds(work, `&q=${encodeURIComponent(pick(WORDS) ?? "")}`);
    await ask(work, `/assert/count?subject=${encodeURIComponent(pick(WORDS) ?? "")}`);
    await pause(work, pauseMs);
  }
}

export async function change(work: Work, pauseMs: number): Promise<void> {
  while (!work.isOver()) {
    const [first, second] = [pick(await someIds(work, "")), pick(await someIds(work, "&unread=true"))];
    const body = JSON.stringify({ is_read: true, tags: [pick(WORDS)] });
    if (first) await ask(work, `/messages/${first}`, { method: "PATCH", body });
    if (second) await ask(work, `/messages/${second}`, { method: "DELETE" });
    await pause(work, pauseMs);
  }
}
