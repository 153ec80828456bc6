// Writes the mails that match a filter into one file, oldest first. Mails that are deleted before their turn are left
// out. If a large one is deleted while it is read, the file ends early.
import { nextTurn } from "../lib/runtime.ts";
import type { MessageFilter, MessageSummary } from "../model/index.ts";
import type { MailView, RawMessage } from "../store/index.ts";
import { type ZipEntry, zip } from "./zip.ts";

const PAGE = 500;

export async function* exportMbox(store: MailView, filter: MessageFilter): AsyncGenerator<Uint8Array> {
  for await (const { summary, raw } of stored(store, filter)) yield* mboxEntry(summary, raw);
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
      // Lets other work run. Awaiting a small mail does not, because it is read synchronously.
      await nextTurn();
    }
    after = ids.at(-1);
  }
}

// An mbox file (RFC 4155, in the reversible "mboxrd" variant): lines end with LF, and every line that begins with any
// number of `>` and "From " gets one more `>`.

async function* mboxEntry(summary: MessageSummary, raw: RawMessage): AsyncGenerator<Uint8Array> {
  const lines = new MboxLines();
  yield Buffer.from(`From ${envelopeSender(summary)} ${asctime(new Date(summary.created_at))}`);
  for await (const chunk of raw.stream()) {
    yield lines.push(chunk);
    // Lets other work run. Awaiting chunks that are already in memory does not.
    await nextTurn();
  }
  yield lines.finish();
}

/** White space would break the separator line. */
const envelopeSender = ({ sender }: MessageSummary) => sender.replace(/\s/g, "") || "MAILER-DAEMON";

/** `Sat Nov 14 10:00:00 2026`, always UTC. */
function asctime(time: Date): string {
  const [weekday = "", day = "", month = "", year = "", clock = ""] = time
    .toUTCString()
    .replace(",", "")
    .split(" ");
  return `${weekday} ${month} ${day.replace(/^0/, " ")} ${clock} ${year}`;
}

/** The end of a chunk, if the next chunk may complete it to a CRLF or to a "From " line. */
const UNDECIDED = /(?:\r|\r?\n>*(?:F|Fr|Fro|From)?)?$/;

const quoted = (text: string) => text.replaceAll("\r\n", "\n").replace(/\n(>*From )/g, "\n>$1");

/** Ends lines with LF and quotes "From " lines. The text has one character for each octet. */
class MboxLines {
  /** The text that is not written yet. At first it is the end of the separator line. */
  #held = "\n";

  push(chunk: Uint8Array): Buffer {
    const text = this.#held + Buffer.from(chunk).toString("latin1");
    const end = text.search(UNDECIDED);
    this.#held = text.slice(end);
    return Buffer.from(quoted(text.slice(0, end)), "latin1");
  }

  /** Adds the empty line that ends the entry. */
  finish(): Buffer {
    const rest = quoted(this.#held);
    return Buffer.from(rest + (rest === "\n" ? "\n" : "\n\n"), "latin1");
  }
}
