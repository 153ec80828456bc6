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
  /** Bytes of the raw message. */
  readonly size: number;
  /** To be read before the next message is asked for. */
  readonly open: () => StoredRaw;
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
    const { seq, sender, recipients, source } = addition;
    const size = "bytes" in source ? source.bytes.length : source.size;
    yield { seq, sender, recipients, size, open: () => reader.open(source) };
  }
}

function* messagesIn(records: Buffer, salt: number): Generator<AddedMessage, void, void> {
  for (const entry of readRecords(records, 0, salt)) {
    if (entry.kind !== "record" || entry.type !== "message") continue;
    const { meta, raw } = readMessage(entry.payload);
    const { seq, sender } = meta;
    const recipients = JSON.stringify(meta.recipients);
    yield { seq, sender, recipients, size: raw.length, open: () => inMemory(raw) };
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
