// The log of `--ephemeral`: the messages that are not deleted, in the order of arrival. Other
// records are not kept: the rows live as long as the log, so only the text index is ever rebuilt.
import { StoreError } from "../store.ts";
import {
  bytesMessage,
  type LargeBodyWriter,
  type Log,
  type LogEntry,
  type MessageRecord,
  type NewRecord,
  NO_PLACE,
  type StoredMessage,
} from "./log.ts";

interface Kept {
  readonly record: MessageRecord;
  readonly body: Uint8Array;
}

export class MemoryLog implements Log {
  readonly shared = null;
  readonly largeBytes = Number.POSITIVE_INFINITY;
  lastSeq = 0;
  lastId = "";
  size = 0;
  readonly #messages = new Map<number, Kept>();

  openLargeBody(): LargeBodyWriter {
    throw new StoreError("io_error", "a body in memory has no file");
  }

  append(records: readonly NewRecord[]): LogEntry[] {
    return records.map(({ record, body }) => {
      this.lastSeq = record.seq;
      if (record.kind === "message") {
        const bytes = body instanceof Uint8Array ? body : new Uint8Array();
        this.lastId = record.id;
        this.size += bytes.length;
        this.#messages.set(record.seq, { record, body: bytes });
      } else if (record.kind === "delete") for (const seq of record.seqs) this.#delete(seq);
      else if (record.kind === "clear") for (const seq of [...this.#messages.keys()]) this.#delete(seq);
      return { record, place: NO_PLACE, body: body ?? null };
    });
  }

  async *read(seq: number): AsyncGenerator<LogEntry[], void, void> {
    for (const { record, body } of this.#messages.values())
      if (record.seq > seq) yield [{ record, place: NO_PLACE, body }];
  }

  async body({ seq }: StoredMessage): ReturnType<Log["body"]> {
    const kept = this.#messages.get(seq);
    return kept === undefined ? null : bytesMessage(kept.body);
  }

  async close(): Promise<void> {
    this.#messages.clear();
  }

  #delete(seq: number): void {
    this.size -= this.#messages.get(seq)?.body.length ?? 0;
    this.#messages.delete(seq);
  }
}
