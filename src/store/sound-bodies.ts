// The raw bytes of stored messages, never served when they fail their checksum: such a message is reported
// and set aside.
import type { Logger } from "../lib/logger.ts";
import { asStoreError, isIndexDamage } from "./errors.ts";
import { type Bodies, DamagedRecord } from "./log/log.ts";
import type { RecordRow } from "./rows/row.ts";
import { isGone, type RawMessage, StoreError } from "./store.ts";

export interface SoundBodiesParts {
  readonly bodies: Bodies;
  readonly logger: Logger;
  /** The row as it is now, found sound; throws when the message is gone. */
  readonly rowOf: (seq: number) => RecordRow;
  /** The same without its texts, and unchecked. */
  readonly recordOf: (seq: number) => RecordRow;
  /** Makes the rows anew from the log. */
  readonly healIndex: (cause: unknown) => Promise<void>;
  readonly setAside: (damaged: readonly RecordRow[]) => Promise<unknown>;
}

export class SoundBodies {
  readonly #parts: SoundBodiesParts;

  constructor(parts: SoundBodiesParts) {
    this.#parts = parts;
  }

  async raw(seq: number): Promise<RawMessage | null> {
    if (!(await this.isSound(seq))) return null;
    const { bodies, recordOf } = this.#parts;
    const { size } = recordOf(seq);
    // The row is looked up anew by each read: a compaction may have moved the bytes meanwhile.
    return {
      size,
      bytes: async (start = 0, end = size) => this.#sound(() => bodies.bytes(recordOf(seq), start, end)),
      stream: (start = 0, end = size) => this.#sound(() => bodies.stream(recordOf(seq), start, end)),
      blob: (start = 0, end = size) => this.#sound(() => bodies.blob(recordOf(seq), start, end)),
    };
  }

  /** False when the message is gone, or damaged: then it has been reported and leaves the mailbox. */
  async isSound(seq: number): Promise<boolean> {
    const check = async () => this.#parts.bodies.check(this.#parts.rowOf(seq));
    try {
      await check().catch(async (error) => {
        await this.#mend(error);
        await this.#sound(check);
      });
      return true;
    } catch (error) {
      if (isGone(error)) return false;
      throw error;
    }
  }

  /** Where the row is wrong and not the record, the index is damaged: the message must not leave for that. */
  async #mend(error: unknown): Promise<void> {
    const { bodies, healIndex } = this.#parts;
    const isOfRow = error instanceof DamagedRecord ? bodies.contradicts([error.row]) : isIndexDamage(error);
    if (isOfRow) await healIndex(error);
  }

  #sound<Result>(read: () => Result): Result {
    try {
      const result = read();
      return result instanceof Promise ? (result.catch(this.#report) as Result) : result;
    } catch (error) {
      return this.#report(error);
    }
  }

  readonly #report = (error: unknown): never => {
    if (!(error instanceof DamagedRecord)) throw asStoreError(error);
    const { row } = error;
    const { bodies, logger, setAside } = this.#parts;
    logger.error("message_damaged", {
      id: row.id,
      segment: row.segment,
      at: row.at,
      copy: bodies.keepAside(row),
    });
    void setAside([row]).catch(() => {});
    throw new StoreError("unknown_message", "the message is damaged and was set aside", { cause: error });
  };
}
