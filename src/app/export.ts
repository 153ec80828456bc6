// The whole mailbox, or what matches, as one file: written as it is read, oldest first.
// Mails that are deleted during the export are left out.
import { nextTurn } from "../lib/runtime.ts";
import type { MessageFilter, MessageSummary } from "../model/index.ts";
import { isGone, type MailView, type RawMessage } from "../store/index.ts";
import { headed, type IsGone, unlessGone, type ZipEntry, zip } from "./zip.ts";

const PAGE = 500;

export async function* exportMbox(store: MailView, filter: MessageFilter): AsyncGenerator<Uint8Array> {
  for await (const { summary, raw } of stored(store, filter))
    yield* unlessGone(goneFrom(store, summary.id), mboxEntry(summary, raw));
}

export const exportZip = (store: MailView, filter: MessageFilter): AsyncGenerator<Uint8Array> =>
  zip(zipEntries(store, filter));

async function* zipEntries(store: MailView, filter: MessageFilter): AsyncGenerator<ZipEntry> {
  for await (const { summary, raw } of stored(store, filter)) {
    yield {
      name: `${summary.id}.eml`,
      time: new Date(summary.created_at),
      size: raw.size,
      bytes: () => raw.bytes(),
      stream: () => raw.stream(),
      isGone: goneFrom(store, summary.id),
    };
  }
}

async function* stored(
  store: MailView,
  filter: MessageFilter,
): AsyncGenerator<{ summary: MessageSummary; raw: RawMessage }> {
  let after: string | undefined;
  for (;;) {
    const ids = await store.walk(filter, { limit: PAGE, ...(after !== undefined && { after }) });
    if (ids.length === 0) return;
    for (const id of ids) {
      const [summary, raw] = await Promise.all([store.get(id), store.raw(id)]);
      if (summary && raw) yield { summary, raw };
      // Short mails, and mails in memory, come without a pause: let other work run.
      await nextTurn();
    }
    after = ids.at(-1);
  }
}

const goneFrom =
  (store: MailView, id: string): IsGone =>
  async (error) =>
    isGone(error) || (await store.get(id)) === null;

// An mbox file (RFC 4155, in the reversible "mboxrd" variant): line feeds, and `>` before every line that
// begins with any number of `>` and "From ".

const CR = 0x0d;
const LF = 0x0a;
const GT = 0x3e;
const FROM = Buffer.from("From ");
const encoder = new TextEncoder();

function mboxEntry(summary: MessageSummary, raw: RawMessage): AsyncGenerator<Uint8Array, void, void> {
  const separator = `From ${envelopeSender(summary)} ${asctime(new Date(summary.created_at))}\n`;
  return headed(encoder.encode(separator), linesOf(raw));
}

async function* linesOf(raw: RawMessage): AsyncGenerator<Uint8Array, void, void> {
  const lines = new MboxLines();
  for await (const chunk of raw.stream()) {
    yield lines.push(chunk);
    // A large mail in memory comes without a pause: let other work run.
    await nextTurn();
  }
  yield lines.finish();
}

/** An address must not break the separator line. */
const envelopeSender = ({ sender }: MessageSummary) => sender.replace(/\s/g, "") || "MAILER-DAEMON";

/** `Sat Nov 14 10:00:00 2026`, always UTC. */
function asctime(time: Date): string {
  const [weekday = "", day = "", month = "", year = "", clock = ""] = time
    .toUTCString()
    .replace(",", "")
    .split(" ");
  return `${weekday} ${month} ${day.replace(/^0/, " ")} ${clock} ${year}`;
}

/** Rewrites the lines. Holds back bytes that may be the start of a "From " or a CR LF until the next ones come. */
class MboxLines {
  #held: Uint8Array = new Uint8Array(0);
  #atLineStart = true;

  push(chunk: Uint8Array): Uint8Array {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const out = new Uint8Array(bytes.length * 2);
    let length = 0;
    let at = 0;
    this.#held = new Uint8Array(0);
    while (at < bytes.length) {
      if (this.#atLineStart) {
        const verdict = quoting(bytes, at);
        if (verdict === "undecided") {
          this.#held = bytes.slice(at);
          break;
        }
        if (verdict === "quote") out[length++] = GT;
        this.#atLineStart = false;
      }
      const byte = bytes[at] as number;
      if (byte === CR && at + 1 === bytes.length) {
        this.#held = bytes.slice(at);
        break;
      }
      at++;
      if (byte === CR && bytes[at] === LF) continue;
      out[length++] = byte;
      if (byte === LF) this.#atLineStart = true;
    }
    return out.subarray(0, length);
  }

  /** Ends the last line and adds the empty one that closes the entry. */
  finish(): Uint8Array {
    const rest = this.#held;
    const quoted = this.#atLineStart && quoting(rest, 0) === "quote" ? ">" : "";
    const endsLine = this.#atLineStart && rest.length === 0;
    return Buffer.concat([Buffer.from(quoted), rest, Buffer.from(endsLine ? "\n" : "\n\n")]);
  }
}

function quoting(bytes: Uint8Array, start: number): "quote" | "plain" | "undecided" {
  let at = start;
  while (bytes[at] === GT) at++;
  for (const [offset, expected] of FROM.entries()) {
    if (at + offset >= bytes.length) return "undecided";
    if (bytes[at + offset] !== expected) return "plain";
  }
  return "quote";
}
