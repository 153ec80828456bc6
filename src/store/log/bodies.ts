// Reads the raw bytes of messages back from the log on disk, and never gives out bytes that fail their checksum.
import type { RawMessage } from "../store.ts";
import { type DataDir, largePath, moveAside, setAside } from "./data-dir.ts";
import { isSound, largeMessage } from "./large-files.ts";
import { bytesMessage, type StoredMessage } from "./log.ts";
import { entryOf, HEADER_BYTES, readHeader, readRecord } from "./record.ts";
import { readBytes, type SegmentName, segmentPath } from "./segment.ts";

const MAX_KNOWN_SOUND = 10_000;

export class Bodies {
  readonly #dir: DataDir;
  readonly #salt: number;
  readonly #segmentOf: (number: number) => SegmentName | undefined;
  /** Ids of large messages whose files were checked since the start. */
  readonly #knownSound = new Set<string>();

  constructor(dir: DataDir, salt: number, segmentOf: (number: number) => SegmentName | undefined) {
    this.#dir = dir;
    this.#salt = salt;
    this.#segmentOf = segmentOf;
  }

  /** Null when the bytes are not those that were stored. */
  async read(message: StoredMessage): Promise<RawMessage | null> {
    const record = readRecord(this.#bytesAt(message), 0, this.#salt);
    const body = record?.seq === message.seq ? entryOf(this.#dir, message.segment, record)?.body : null;
    if (!body) return null;
    if (body instanceof Uint8Array) return bytesMessage(body);
    if (!this.#knownSound.has(message.id)) {
      if (!(await isSound(body, this.#salt))) return null;
      if (this.#knownSound.size >= MAX_KNOWN_SOUND) this.#knownSound.clear();
      this.#knownSound.add(message.id);
    }
    return largeMessage(body);
  }

  /** Saves what is left of a damaged message; answers with the path, null when that fails. */
  keepAside(message: StoredMessage): string | null {
    try {
      if (message.body_at === 0) return moveAside(this.#dir, largePath(this.#dir, message.id));
      return setAside(this.#dir, `${message.id}.bin`, this.#bytesAt(message));
    } catch {
      return null;
    }
  }

  #bytesAt({ segment: number, at, body_at, size }: StoredMessage): Buffer {
    const segment = this.#segmentOf(number);
    if (segment === undefined) return Buffer.alloc(0);
    const path = segmentPath(this.#dir.log, segment);
    if (body_at > 0) return readBytes(path, at, body_at + size);
    const header = readHeader(readBytes(path, at, HEADER_BYTES), 0, this.#salt);
    return readBytes(path, at, HEADER_BYTES + (header?.length ?? 0));
  }
}
