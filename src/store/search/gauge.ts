// Tells how long messages take to index before their turn comes: they go into an index that is emptied again.
import { Database } from "bun:sqlite";
import { type AddedMessage, messagesOf } from "./additions.ts";
import { BodyReader } from "./body-reader.ts";
import { isLong } from "./long-messages.ts";
import type { Addition } from "./protocol.ts";
import { textTable } from "./schema.ts";
import { tokenizable } from "./tokens.ts";
import { exactlyWorkedMs } from "./worked-time.ts";

/** A stretch of the log may hold more than the messages it was taken for: long ones, and what came in between. */
const MAX_BYTES = 64 << 10;

type Find = (raw: Uint8Array) => { subject: string; body: string };

export class Gauge {
  readonly #find: Find;
  readonly #reader = new BodyReader();
  #db: Database | null = null;

  constructor(find: Find) {
    this.#find = find;
  }

  /** Milliseconds for a byte; null when nothing of them could be read. */
  measure(additions: readonly Addition[], salt: number): number | null {
    try {
      return this.#measure(additions, salt);
    } catch {
      return null;
    } finally {
      this.#reader.close();
    }
  }

  #measure(additions: readonly Addition[], salt: number): number | null {
    const db = this.#opened();
    const workedBefore = exactlyWorkedMs();
    const begun = performance.now();
    let bytes = 0;
    db.transaction(() => {
      for (const message of messagesOf(additions, this.#reader, salt)) {
        if (bytes >= MAX_BYTES) break;
        if (!isLong(message)) bytes += this.#add(message, db);
      }
    })();
    const passedMs = performance.now() - begun;
    const ms = Math.min(passedMs, exactlyWorkedMs() - workedBefore);
    db.run("INSERT INTO mail (mail) VALUES ('delete-all')");
    return bytes === 0 ? null : ms / bytes;
  }

  #add({ seq, sender, recipients, size, open }: AddedMessage, db: Database): number {
    const { subject, body } = this.#find(open(this.#reader).read(0, size));
    const texts = [subject, body, sender, recipients].map(tokenizable);
    db.query("INSERT INTO mail (rowid, subject, body, sender, recipients) VALUES (?, ?, ?, ?, ?)").run(
      seq,
      ...(texts as [string, string, string, string]),
    );
    return size;
  }

  #opened(): Database {
    if (this.#db === null) {
      this.#db = new Database(":memory:");
      this.#db.run(textTable("mail"));
    }
    return this.#db;
  }
}
