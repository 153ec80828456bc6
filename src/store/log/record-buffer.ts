// Where the records of one group are put together before they go to the file with one write.
import { jsonText } from "../../lib/json-text.ts";
import type { NewMessage } from "./log.ts";
import { bodyOffset, HEADER_BYTES, type RecordType, writeHeader } from "./record.ts";

const KEPT_BYTES = 1 << 20;
/** A UTF-16 unit takes at most three bytes in UTF-8. */
const MAX_UTF8_FACTOR = 3;

export class RecordBuffer {
  readonly #salt: number;
  #bytes: Buffer = Buffer.allocUnsafe(64 << 10);
  #length = 0;

  constructor(salt: number) {
    this.#salt = salt;
  }

  get length(): number {
    return this.#length;
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  addJson(type: RecordType, payload: unknown): void {
    this.addText(type, JSON.stringify(payload));
  }

  /** `text` is JSON. */
  addText(type: RecordType, text: string): void {
    const at = this.#length;
    this.#reserve(HEADER_BYTES + text.length * MAX_UTF8_FACTOR);
    const length = this.#bytes.write(text, at + HEADER_BYTES, "utf8");
    this.#seal(type, at, length);
  }

  /** `meta` is JSON. Answers with the offset of the raw bytes within the record. */
  addMessage(meta: string, chunks: readonly Uint8Array[], size: number): number {
    const at = this.#length;
    this.#reserve(bodyOffset(meta.length * MAX_UTF8_FACTOR) + size);
    const metaBytes = this.#bytes.write(meta, at + bodyOffset(0), "utf8");
    this.#bytes.writeUInt32LE(metaBytes, at + HEADER_BYTES);
    const bodyAt = bodyOffset(metaBytes);
    let end = at + bodyAt;
    for (const chunk of chunks) {
      this.#bytes.set(chunk, end);
      end += chunk.length;
    }
    this.#seal("message", at, end - at - HEADER_BYTES);
    return bodyAt;
  }

  /** Copies a whole record as it is. */
  addRecord(record: Uint8Array): void {
    this.#reserve(record.length);
    this.#bytes.set(record, this.#length);
    this.#length += record.length;
  }

  reset(): void {
    this.#length = 0;
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = Buffer.allocUnsafe(64 << 10);
  }

  #seal(type: RecordType, at: number, length: number): void {
    writeHeader(this.#bytes, at, type, length, this.#salt);
    this.#length = at + HEADER_BYTES + length;
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.bytes);
    this.#bytes = grown;
  }
}

/** A message's meta data as JSON, put together by hand: the lists in it are JSON already. */
export function metaOf({ seq, id, time, sender, recipients, tags }: NewMessage): string {
  const state = tags === null ? "" : `,"state":{"tags":${tags}}`;
  return `{"seq":${seq},"id":"${id}","time":${time},"sender":${jsonText(sender)},"recipients":${recipients}${state}}`;
}

export function largeMetaOf(message: NewMessage, size: number, crc: number): string {
  return `${metaOf(message).slice(0, -1)},"size":${size},"crc":${crc}}`;
}
