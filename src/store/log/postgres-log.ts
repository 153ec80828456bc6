// The log in PostgreSQL, for several nodes. A node locks the head row for each group that it
// writes, so records are numbered in the order of their commits. Other nodes look for new records
// every second, and at once on a NOTIFY.
import type { ReservedSQL, SQL } from "bun";
import type { Logger } from "../../lib/logger.ts";
import { nextTurn } from "../../lib/runtime.ts";
import { type RawMessage, StoreError } from "../store.ts";
import {
  bytesMessage,
  type KnownMessage,
  type LargeBodyWriter,
  type Log,
  type LogEntry,
  type LogRecord,
  type NewRecord,
  NO_PLACE,
  type SharedLog,
  type StoredMessage,
} from "./log.ts";
import {
  answered,
  asDatabaseError,
  assertWritable,
  Leadership,
  lateError,
  RECORDS_CHANNEL,
  reserved,
} from "./postgres.ts";
import { type LargeBodies, PIECE_BYTES } from "./postgres-bodies.ts";
import { payloadOf, recordOf } from "./record.ts";

export interface PostgresLogOptions {
  readonly sql: SQL;
  readonly bodies: LargeBodies;
  /** While PostgreSQL is unreachable, reads answer from this node's indexes. */
  readonly staleReads: boolean;
  readonly logger: Logger;
}

/** The head row: the last number and id that were given, the size of all records, and the salt. */
interface Head {
  readonly seq: number;
  readonly lastId: string;
  readonly bytes: number;
  readonly salt: number;
}

interface RecordRow {
  readonly seq: string;
  readonly kind: LogRecord["kind"];
  readonly payload: string;
  readonly body: Uint8Array | null;
  readonly large: string | null;
}

const LOOK_MS = 1000;
/** How long a read waits for the records of other nodes. */
const READ_MS = 5000;
/** A page of records ends at the first of these limits. */
const READ_NUMBERS = 2000;
const READ_BYTES = 4 << 20;

const HEAD = `SELECT seq::float8, last_id AS "lastId", bytes::float8, salt FROM mailkeep_head`;
/** The record $1, and whether a message that is not deleted follows it, up to the record $2. */
const NEWEST = `SELECT
  (SELECT payload::text FROM mailkeep_record WHERE seq = $1) AS payload,
  EXISTS (SELECT 1 FROM mailkeep_record
    WHERE seq > $1 AND seq <= $2 AND kind = 'message' AND NOT is_dead) AS has_newer`;
const pageOf = (condition: string, bodies: string, bytes: string) => `
SELECT seq, kind, payload::text AS payload, ${bodies} FROM (
  SELECT *, sum(${bytes}) OVER (ORDER BY seq) AS total FROM mailkeep_record
  WHERE seq > $1 AND seq <= $2 AND ${condition}
) AS page WHERE total - ${bytes} < ${READ_BYTES} ORDER BY seq`;
const PAGE = pageOf("true", "body, large", "bytes");
const PAGE_OF_LIVING = pageOf("NOT is_dead", "body, large", "bytes");
const PAGE_WITHOUT_BODIES = pageOf(
  "NOT is_dead",
  "NULL AS body, NULL AS large",
  "octet_length(payload::text)",
);

/** Superfluous records among this many newest ones are emptied, not removed, for nodes that lag behind. */
const KEPT_FOR_OTHERS = 10_000;

const ADDED = `
added AS (
  INSERT INTO mailkeep_record
  SELECT seq, kind, payload::json, substring($2::bytea FROM at FOR length), large, bytes
  FROM json_to_recordset($1::text::json)
    AS r (seq bigint, kind text, payload text, at integer, length integer, large text, bytes bigint)
  RETURNING seq, bytes
)`;
const NEW_HEAD = `
UPDATE mailkeep_head SET
  seq = (SELECT max(seq) FROM added),
  last_id = $3::text,
  bytes = bytes + (SELECT sum(bytes) FROM added)`;
const NOTIFIED = `pg_notify('${RECORDS_CHANNEL}', $4::text)`;

/**
 * One statement for all records of a group, so that they take one round trip. All bodies are in one
 * parameter and are cut apart here.
 */
const APPEND = `WITH ${ADDED} ${NEW_HEAD} RETURNING bytes, NULL AS large, ${NOTIFIED}`;

/** Appends a record, and removes or empties the records that it makes superfluous. */
const appendAndRemove = (superfluous: string) => `
WITH ${ADDED}, removed AS (
  SELECT seq, bytes, large FROM mailkeep_record AS record, (SELECT $5::text::json AS payload) AS given
  WHERE ${superfluous} AND NOT is_dead
), emptied AS (
  UPDATE mailkeep_record SET body = NULL, large = NULL, bytes = 0, is_dead = true
  WHERE seq IN (SELECT seq FROM removed WHERE seq > $6::bigint)
), gone AS (
  DELETE FROM mailkeep_record WHERE seq IN (SELECT seq FROM removed WHERE seq <= $6::bigint)
), forgotten AS (
  DELETE FROM mailkeep_record WHERE is_dead AND seq <= $6::bigint
)
${NEW_HEAD} - (SELECT coalesce(sum(bytes), 0) FROM removed)
RETURNING bytes, (SELECT json_agg(large)::text FROM removed WHERE large IS NOT NULL) AS large, ${NOTIFIED}`;

const APPEND_SQL: Readonly<Record<LogRecord["kind"], string>> = {
  message: APPEND,
  change: APPEND,
  delete: appendAndRemove(
    "seq IN (SELECT value::bigint FROM json_array_elements_text(given.payload->'seqs'))",
  ),
  setting: appendAndRemove("kind = 'setting' AND record.payload->>'key' = given.payload->>'key'"),
  clear: appendAndRemove("kind <> 'setting'"),
};

export class PostgresLog implements Log, SharedLog {
  readonly shared: SharedLog = this;
  readonly largeBytes = PIECE_BYTES;
  readonly #options: PostgresLogOptions;
  /** Distinguishes this node's own notifications from those of others. */
  readonly #node = crypto.randomUUID();
  readonly #leadership: Leadership;
  #head: Head;
  #listener: (entry: LogEntry) => void = () => {};
  #newest: () => KnownMessage | null = () => null;
  /** The connection with the open transaction, during this node's turn. */
  #writer: ReservedSQL | null = null;
  /** The last task that passes entries to the listener. The next one waits for it. */
  #lastDelivery: Promise<unknown> = Promise.resolve();
  #looking: Promise<void> = Promise.resolve();
  #nextLook: Promise<void> | null = null;
  #timer: Timer | null = null;
  #isFailing = false;
  /** Set with `--stale-reads` after a read got no answer. Until PostgreSQL answers again, reads do not wait. */
  #isReadStale = false;
  /** The database has lost records that this node has applied, so this node must be restarted. */
  #isSetBack = false;
  #isClosed = false;

  private constructor(options: PostgresLogOptions, head: Head) {
    this.#options = options;
    this.#leadership = new Leadership(options.sql);
    this.#head = head;
  }

  static async open(options: PostgresLogOptions): Promise<PostgresLog> {
    const [head] = await answered(options.sql.unsafe(HEAD));
    return new PostgresLog(options, head);
  }

  get lastSeq(): number {
    return this.#head.seq;
  }

  get lastId(): string {
    return this.#head.lastId;
  }

  get size(): number {
    return this.#head.bytes;
  }

  /** Identifies this database. */
  get salt(): number {
    return this.#head.salt;
  }

  openLargeBody(): LargeBodyWriter {
    return this.#options.bodies.create();
  }

  turn(write: () => Promise<void> | null): Promise<void> {
    return this.#alone(() =>
      this.#connected(async (connection) => {
        if (this.#isSetBack) throw setBackError();
        const [, [head]] = await answered(connection.unsafe(`BEGIN; ${HEAD} FOR UPDATE`).simple());
        this.#assertNotBehind(head, this.lastSeq);
        await this.#catchUp(connection, head);
        this.#writer = connection;
        try {
          await write();
          // Nothing was appended, or appending has failed.
          if (this.#writer !== null) await answered(connection.unsafe("ROLLBACK"));
        } finally {
          this.#writer = null;
        }
      }),
    );
  }

  async append(records: readonly NewRecord[]): Promise<LogEntry[]> {
    const connection = this.#writer;
    const last = records.at(-1)?.record;
    if (connection === null || last === undefined)
      throw new StoreError("io_error", "it is not this node's turn");
    const lastId = last.kind === "message" ? last.id : this.lastId;
    const statement = APPEND_SQL[last.kind];
    const parameters: unknown[] = [...staged(records), lastId, this.#node];
    if (statement !== APPEND) parameters.push(JSON.stringify(payloadOf(last)), last.seq - KEPT_FOR_OTHERS);
    // The second statement is sent without waiting for the first. If the first fails, COMMIT undoes everything.
    const added = connection.unsafe(statement, parameters).execute();
    const committed = connection.unsafe("COMMIT").execute();
    const [[row]] = await answered(Promise.all([added, committed]));
    this.#writer = null;
    this.#head = { ...this.#head, seq: last.seq, lastId, bytes: Number(row.bytes) };
    if (row.large !== null) void this.#options.bodies.remove(JSON.parse(row.large));
    return records.map(({ record, body = null }) => ({
      record,
      place: NO_PLACE,
      body: body instanceof Uint8Array ? body : (body?.beginning ?? null),
    }));
  }

  refresh(): Promise<void> {
    if (this.#isReadStale && !this.#isSetBack) return Promise.resolve();
    const asked = answered(this.#shareLook(), READ_MS);
    if (!this.#options.staleReads) return asked;
    return asked.catch((error) => {
      if (this.#isSetBack) throw error;
      this.#isReadStale = true;
    });
  }

  follow(listener: (entry: LogEntry) => void, newest: () => KnownMessage | null): void {
    this.#listener = listener;
    this.#newest = newest;
    const look = () => void this.#shareLook().catch(ignore);
    this.#timer = setInterval(look, LOOK_MS).unref();
    const onNotify = (node: string) => {
      if (node !== this.#node) look();
    };
    this.#options.sql.listen(RECORDS_CHANNEL, onNotify, look).catch((error) => {
      if (!this.#isClosed)
        this.#options.logger.warn("database notifications not available", { reason: String(error) });
    });
  }

  lead(listener: (isLeader: boolean) => void): void {
    this.#leadership.add(listener);
  }

  async *read(seq: number, needs: "all" | "records" = "all"): AsyncGenerator<LogEntry[], void, void> {
    const query = needs === "all" ? PAGE_OF_LIVING : PAGE_WITHOUT_BODIES;
    for (let from = seq; from < this.lastSeq; ) {
      const page = await this.#connected((one) => this.#page(one, query, from, this.lastSeq));
      from = page.upTo;
      const entries = await Promise.all(page.rows.map((row) => this.#withBody(row)));
      if (entries.length > 0) yield entries;
      await nextTurn();
    }
  }

  /** Whether rows with this newest message and this last applied record come from this log. */
  holds(newest: KnownMessage | null, applied: number): Promise<boolean> {
    return this.#connected((connection) => this.#holds(connection, this.#head, newest, applied));
  }

  async body({ seq, size }: StoredMessage): Promise<RawMessage | null> {
    const { sql, bodies } = this.#options;
    if (this.#isReadStale) throw lateError();
    const [row] = await answered(sql`SELECT body, large FROM mailkeep_record WHERE seq = ${seq}`);
    if (row?.large) return bodies.raw(row.large, size);
    return row?.body ? bytesMessage(row.body) : null;
  }

  async check(): Promise<void> {
    await this.#shareLook();
    await this.#connected(assertWritable);
    await this.#options.bodies.check?.();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#leadership.stop();
    await this.#lastDelivery;
    await this.#options.sql.close({ timeout: 1 });
  }

  /** Callers share the next look, but not one that has begun, because it may miss later writes. */
  #shareLook(): Promise<void> {
    this.#nextLook ??= this.#looking.then(() => {
      this.#nextLook = null;
      const look = this.#look();
      this.#looking = look.catch(ignore);
      return look;
    });
    return this.#nextLook;
  }

  async #look(): Promise<void> {
    try {
      if (this.#isSetBack) throw setBackError();
      const known = this.lastSeq;
      const [head] = await this.#connected((connection) => answered(connection.unsafe(HEAD), READ_MS));
      this.#assertNotBehind(head, known);
      if (head.seq !== this.lastSeq || this.#isFailing)
        await this.#alone(() => this.#connected((connection) => this.#catchUp(connection, head)));
      if (this.#isFailing) this.#options.logger.info("database works again", {});
      this.#isFailing = false;
      this.#isReadStale = false;
    } catch (error) {
      if (!this.#isFailing && !this.#isClosed)
        this.#options.logger.error("database failing", { reason: String((error as Error).cause ?? error) });
      this.#isFailing = true;
      throw error;
    }
  }

  #assertNotBehind(head: Head, known: number): void {
    if (head.salt !== this.salt || head.seq < known) this.#refuseForGood();
  }

  #refuseForGood(): never {
    this.#isSetBack = true;
    void this.#leadership.stop();
    throw setBackError();
  }

  async #holds(
    connection: ReservedSQL,
    head: Head,
    newest: KnownMessage | null,
    applied: number,
  ): Promise<boolean> {
    if (head.seq < applied) return false;
    const { seq, id } = newest ?? { seq: 0, id: "" };
    const [row] = await answered(connection.unsafe(NEWEST, [seq, applied]));
    if (row.has_newer) return false;
    if (row.payload !== null) return JSON.parse(row.payload).id === id;
    return newest === null || seq <= head.seq - KEPT_FOR_OTHERS;
  }

  /** Gives the listener all records up to `head`. After a failure it first checks that the database was not reset. */
  async #catchUp(connection: ReservedSQL, head: Head): Promise<void> {
    // This node has written in the meantime, and has already caught up with a newer head.
    if (this.lastSeq > head.seq) return;
    if (this.#isFailing && !(await this.#holds(connection, head, this.#newest(), this.lastSeq)))
      this.#refuseForGood();
    while (this.lastSeq < head.seq) {
      const { rows, upTo } = await this.#page(connection, PAGE, this.lastSeq, head.seq);
      for (const entry of rows.map(entryOf)) {
        this.#listener(entry);
        this.#head = { ...this.#head, seq: entry.record.seq };
      }
      this.#head = { ...head, seq: upTo };
    }
    this.#head = head;
  }

  async #page(connection: ReservedSQL, page: string, from: number, to: number) {
    const end = Math.min(to, from + READ_NUMBERS);
    const rows: RecordRow[] = await answered(connection.unsafe(page, [from, end]));
    return { rows, upTo: Number(rows.at(-1)?.seq ?? end) };
  }

  async #withBody(row: RecordRow): Promise<LogEntry> {
    const { record, place, body } = entryOf(row);
    return {
      record,
      place,
      body: row.large === null ? body : await this.#options.bodies.beginning(row.large),
    };
  }

  #alone<Answer>(run: () => Promise<Answer>): Promise<Answer> {
    const done = this.#lastDelivery.then(run);
    this.#lastDelivery = done.catch(ignore);
    return done;
  }

  /** After a failure the state of a connection is unknown, so it is closed. */
  async #connected<Answer>(ask: (connection: ReservedSQL) => Promise<Answer>): Promise<Answer> {
    const connection = await reserved(this.#options.sql);
    try {
      const answer = await ask(connection);
      void connection.release();
      return answer;
    } catch (error) {
      void connection.close().catch(ignore);
      throw asDatabaseError(error);
    }
  }
}

const entryOf = ({ seq, kind, payload, body, large }: RecordRow): LogEntry => ({
  record: recordOf(kind, Number(seq), JSON.parse(payload)),
  place: NO_PLACE,
  body,
  ...(large !== null && { isUnread: true }),
});

const setBackError = () =>
  new StoreError(
    "database_failing",
    "the database was reset to an older state: restart this node to rebuild its indexes",
  );

function staged(records: readonly NewRecord[]): [string, Uint8Array] {
  const bodies: Uint8Array[] = [];
  let at = 1;
  const rows = records.map(({ record, body }) => {
    const payload = JSON.stringify(payloadOf(record));
    const size = payload.length + (record.kind === "message" ? record.size : 0);
    const row = { seq: record.seq, kind: record.kind, payload, bytes: size };
    if (!(body instanceof Uint8Array)) return { ...row, large: body?.path };
    const place = { at, length: body.length };
    bodies.push(body);
    at += body.length;
    return { ...row, ...place };
  });
  return [JSON.stringify(rows), Buffer.concat(bodies)];
}

const ignore = () => {};
