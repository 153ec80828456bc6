// Bodies above 1 MiB: in pieces in a table of PostgreSQL, or as objects in an S3-compatible store. They are written as
// they arrive and can be read in pieces, so that a whole body need not be in memory.
import { S3Client, type SQL } from "bun";
import { inTime, streamOf } from "../../lib/runtime.ts";
import { type RawMessage, StoreError } from "../store.ts";
import type { LargeBody, LargeBodyWriter } from "./log.ts";
import { answered } from "./postgres.ts";

export const PIECE_BYTES = 1 << 20;

export interface LargeBodies {
  create(): LargeBodyWriter;
  /** The first piece, or null if the body has been removed. The text index reads no more of a large body. */
  beginning(name: string): Promise<Uint8Array | null>;
  raw(name: string, size: number): RawMessage | Promise<RawMessage>;
  /** Never rejects. Bodies that cannot be removed are left. */
  remove(names: readonly string[]): Promise<void>;
  /** Rejects if the place of the bodies cannot be reached. */
  check?(): Promise<void>;
}

interface Sink {
  /** No other call comes before the promise settles. If it rejects, only `remove` may follow. */
  write(piece: Uint8Array): Promise<void>;
  end(): Promise<unknown>;
  /** Removes the written bytes; never rejects. */
  remove(): Promise<void>;
}

/** Collects the bytes in pieces. When a piece is full, the sender has to wait until it is written. */
class PieceWriter implements LargeBodyWriter {
  readonly #name: string;
  readonly #sink: Sink;
  #piece = new Uint8Array(PIECE_BYTES);
  #used = 0;
  #size = 0;
  #beginning: Uint8Array | null = null;
  #writing = Promise.resolve();

  constructor(name: string, sink: Sink) {
    this.#name = name;
    this.#sink = sink;
  }

  append(chunk: Uint8Array): void | Promise<void> {
    const before = this.#writing;
    this.#size += chunk.length;
    for (let at = 0; at < chunk.length; ) {
      const taken = Math.min(chunk.length - at, PIECE_BYTES - this.#used);
      this.#piece.set(chunk.subarray(at, at + taken), this.#used);
      this.#used += taken;
      at += taken;
      if (this.#used === PIECE_BYTES) this.#pass();
    }
    if (this.#writing !== before) return this.#writing;
  }

  async finish(): Promise<LargeBody> {
    if (this.#used > 0) this.#pass();
    await this.#writing;
    await this.#sink.end();
    // The checksum is not used: only bodies in files are checked.
    return { path: this.#name, size: this.#size, crc: 0, beginning: this.#beginning ?? new Uint8Array() };
  }

  abort(): void {
    void this.#writing.then(ignore, ignore).then(() => this.#sink.remove());
  }

  #pass(): void {
    const piece = this.#piece.subarray(0, this.#used);
    this.#beginning ??= piece;
    this.#piece = new Uint8Array(PIECE_BYTES);
    this.#used = 0;
    this.#writing = this.#writing.then(() => this.#sink.write(piece));
    this.#writing.catch(ignore);
  }
}

export class TableBodies implements LargeBodies {
  readonly #sql: SQL;

  constructor(sql: SQL) {
    this.#sql = sql;
  }

  create(): LargeBodyWriter {
    const name = crypto.randomUUID();
    let number = 0;
    return new PieceWriter(name, {
      write: (piece) =>
        answered(this.#sql`INSERT INTO mailkeep_piece VALUES (${name}, ${number++}, ${piece})`),
      end: async () => {},
      remove: () => this.remove([name]),
    });
  }

  beginning(name: string): Promise<Uint8Array | null> {
    return unlessRemoved(this.#piece(name, 0));
  }

  raw(name: string, size: number): RawMessage {
    const stream = (start = 0, end = size) => streamOf(this.#read(name, start, Math.min(end, size)));
    return { size, stream, bytes: (start, end) => new Response(stream(start, end)).bytes(), content: stream };
  }

  async remove(names: readonly string[]): Promise<void> {
    for (const name of names) await this.#sql`DELETE FROM mailkeep_piece WHERE large = ${name}`.catch(ignore);
  }

  async *#read(name: string, start: number, end: number): AsyncGenerator<Uint8Array, void, void> {
    for (let at = start; at < end; ) {
      const from = at % PIECE_BYTES;
      const piece = await this.#piece(name, Math.floor(at / PIECE_BYTES));
      const some = piece.subarray(from, Math.min(piece.length, from + end - at));
      if (some.length === 0) throw new StoreError("io_error", `the body ${name} is incomplete`);
      at += some.length;
      yield some;
    }
  }

  async #piece(name: string, number: number): Promise<Uint8Array> {
    const sql = this.#sql;
    const found = sql`SELECT bytes FROM mailkeep_piece WHERE large = ${name} AND number = ${number}`;
    const [row] = await answered(found);
    if (row === undefined) throw removedError();
    return row.bytes;
  }
}

export class S3Bodies implements LargeBodies {
  readonly #client: S3Client;
  readonly #prefix: string;

  /** `s3://bucket/prefix`; keys, region and endpoint come from the variables S3_… or AWS_… */
  constructor(address: string) {
    const { hostname: bucket, pathname } = new URL(address);
    this.#client = new S3Client({ bucket });
    try {
      // Only checks that the keys are set: without keys `presign` throws. It sends nothing.
      this.#client.presign("any");
    } catch (cause) {
      const message = "the keys for S3 are missing: set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY";
      throw new StoreError("database_failing", message, { cause });
    }
    this.#prefix = `${pathname.slice(1).replace(/\/+$/, "")}/`.replace(/^\/$/, "");
  }

  create(): LargeBodyWriter {
    const name = crypto.randomUUID();
    const upload = this.#file(name).writer({ type: "message/rfc822" });
    return new PieceWriter(name, {
      write: async (piece) => {
        upload.write(piece);
        await fromS3(Promise.resolve(upload.flush()), S3_WRITE_MS);
      },
      end: () => fromS3(Promise.resolve(upload.end()), S3_WRITE_MS),
      remove: async () => {
        await Promise.resolve(upload.end(new Error("the mail was given up"))).catch(ignore);
        await this.remove([name]);
      },
    });
  }

  beginning(name: string): Promise<Uint8Array | null> {
    return unlessRemoved(fromS3(this.#file(name).slice(0, PIECE_BYTES).bytes()));
  }

  /** Asks S3 first: once the body is on its way to a client, it is too late for an error. */
  async raw(name: string, size: number): Promise<RawMessage> {
    await fromS3(this.#file(name).stat());
    const part = (start = 0, end = size) => this.#file(name).slice(start, end);
    const stream = (start?: number, end?: number) => part(start, end).stream();
    return { size, stream, bytes: (start, end) => fromS3(part(start, end).bytes()), content: stream };
  }

  /** A refusal is an answer, too: the keys may not be allowed to look for unknown objects. */
  async check(): Promise<void> {
    await fromS3(this.#file("none").exists()).catch((error: StoreError) => {
      const { code } = (error.cause ?? {}) as { code?: string };
      if (code === undefined || UNREACHABLE.test(code)) throw error;
    });
  }

  async remove(names: readonly string[]): Promise<void> {
    for (const name of names) await this.#file(name).delete().catch(ignore);
  }

  #file(name: string) {
    return this.#client.file(this.#prefix + name);
  }
}

const ignore = () => {};

const removedError = () => new StoreError("unknown_message", "the message has been removed");

const unlessRemoved = <Answer>(asked: Promise<Answer>): Promise<Answer | null> =>
  asked.catch((error) => {
    if (error instanceof StoreError && error.code === "unknown_message") return null;
    throw error;
  });

const S3_READ_MS = 5000;
const S3_WRITE_MS = 15_000;
/** Bun's error codes when it cannot reach S3. */
const UNREACHABLE = /Connection|Socket|Timeout|DNS|Resolve|CERT|TLS/i;

const fromS3 = <Answer>(asked: Promise<Answer>, ms = S3_READ_MS): Promise<Answer> =>
  inTime(asked, ms, () => new StoreError("database_failing", "S3 did not answer in time")).catch((cause) => {
    if (cause instanceof StoreError) throw cause;
    const { code, message } = cause as { code?: string; message: string };
    if (code === "NoSuchKey") throw removedError();
    throw new StoreError("database_failing", `S3 fails: ${code ?? message}`, { cause });
  });
