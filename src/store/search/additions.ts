// What the worker is handed, message by message: some come one by one, most as a stretch of the log.
import { readMessage } from "../log/record.ts";
import { readRecords } from "../log/segment.ts";
import { type BodyReader, inMemory, type StoredRaw } from "./body-reader.ts";
import type { Addition, Stretch } from "./protocol.ts";

export interface AddedMessage {
  readonly seq: number;
  readonly sender: string;
  /** A list, as JSON. */
  readonly recipients: string;
  /** Null in a stretch: the message itself must be asked for it, and before the next one. */
  readonly subject: string | null;
  /** Bytes of the raw message. */
  readonly size: number;
  /** Whether these lie in memory until the message is let go, here as well. */
  readonly isHeld: boolean;
  readonly open: (reader: BodyReader) => StoredRaw;
}

export function* messagesOf(
  additions: readonly Addition[],
  reader: BodyReader,
  salt: number,
): Generator<AddedMessage, void, void> {
  for (const addition of additions) {
    if (!("source" in addition)) {
      yield* messagesIn(readStretch(addition, reader), salt);
      continue;
    }
    const { source, ...envelope } = addition;
    const size = "bytes" in source ? source.bytes.length : source.size;
    const isHeld = "blocks" in source;
    yield { ...envelope, size, isHeld, open: (reader) => reader.open(source) };
  }
}

function* messagesIn(records: Buffer, salt: number): Generator<AddedMessage, void, void> {
  for (const entry of readRecords(records, 0, salt)) {
    if (entry.kind !== "record" || entry.type !== "message") continue;
    const { meta, raw } = readMessage(entry.payload);
    const { seq, sender } = meta;
    const recipients = JSON.stringify(meta.recipients);
    const open = () => inMemory(raw);
    yield { seq, sender, recipients, subject: null, size: raw.length, isHeld: false, open };
  }
}

/** A file that is gone was dropped by a clear, which follows. */
function readStretch(stretch: Stretch, reader: BodyReader): Buffer {
  try {
    return reader.stretch(stretch);
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return Buffer.alloc(0);
    throw error;
  }
}
