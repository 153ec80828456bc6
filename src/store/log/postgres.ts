// The connection to PostgreSQL: the tables, the errors, and which node is the leader.
import { type ReservedSQL, SQL } from "bun";
import { inTime } from "../../lib/runtime.ts";
import { asStoreError } from "../errors.ts";
import { StoreError } from "../store.ts";

/** The numbers of our advisory locks. */
const SCHEMA_LOCK = 0x6d6b_0001;
const LEADER_LOCK = 0x6d6b_0002;
const LOOK_MS = 1000;
const CLEAN_MS = 3_600_000;
const CONNECTIONS = 10;
const CONNECT_SECONDS = 5;
/** A server that does not answer in this time counts as unreachable. */
const ANSWER_MS = 15_000;
/** How long a node may hang in its turn to write, and how long another node waits for its own turn. */
const TURN_MS = 10_000;
/** A leader without an answer for this time gives up, before PostgreSQL ends its session and another node can lead. */
const LEADER_ANSWER_MS = 5000;
/**
 * Ends the session of a leader that hangs or is cut off. PostgreSQL before 14 has only the keepalives, which do not
 * notice a leader that hangs.
 */
const END_SILENT_SESSION = `SELECT set_config(name, value, false) FROM pg_settings JOIN (VALUES
  ('idle_session_timeout', '10s'),
  ('tcp_keepalives_idle', '5'), ('tcp_keepalives_interval', '2'), ('tcp_keepalives_count', '3')
) AS wanted (name, value) USING (name)`;

const FORMAT_VERSION = 2;

/**
 * `mailkeep_head` has one row. Every append locks this row, so records are numbered in commit order.
 * `bytes` is the size of a record, in the head the size of all records, and in a piece the content itself.
 * `large` names a body above 1 MiB, which is in pieces or in S3.
 */
const TABLES = `
CREATE TABLE mailkeep_head (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  format integer NOT NULL,
  salt integer NOT NULL,
  seq bigint NOT NULL DEFAULT 0,
  last_id text NOT NULL DEFAULT '',
  bytes bigint NOT NULL DEFAULT 0
);
CREATE TABLE mailkeep_record (
  seq bigint PRIMARY KEY,
  kind text NOT NULL,
  payload json NOT NULL,
  body bytea,
  large text,
  bytes bigint NOT NULL,
  is_dead boolean NOT NULL DEFAULT false
);
ALTER TABLE mailkeep_record ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE UNIQUE INDEX mailkeep_record_large ON mailkeep_record (large) WHERE large IS NOT NULL;
CREATE INDEX mailkeep_record_setting ON mailkeep_record ((payload->>'key')) WHERE kind = 'setting';
CREATE INDEX mailkeep_record_dead ON mailkeep_record (seq) WHERE is_dead;
CREATE TABLE mailkeep_piece (
  large text NOT NULL,
  number integer NOT NULL,
  bytes bytea NOT NULL,
  created timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (large, number)
);
ALTER TABLE mailkeep_piece ALTER COLUMN bytes SET STORAGE EXTERNAL;
INSERT INTO mailkeep_head (format, salt) VALUES (${FORMAT_VERSION}, (random() * 2147483647)::integer);
`;

export const RECORDS_CHANNEL = "mailkeep_records";

/** Opens the pool and makes the tables if they are missing. Nodes that start at the same time wait for each other. */
export async function connect(url: string): Promise<SQL> {
  const { hostname, port, pathname } = new URL(url);
  const database = decodeURIComponent(pathname.slice(1));
  const sql = new SQL(url, {
    // Otherwise Bun would prefer the variable PGDATABASE to the name in the address.
    ...(database === "" ? {} : { database }),
    max: CONNECTIONS,
    connectionTimeout: CONNECT_SECONDS,
    connection: {
      application_name: "mailkeep",
      client_min_messages: "warning",
      lock_timeout: TURN_MS,
      idle_in_transaction_session_timeout: TURN_MS,
    },
  });
  try {
    await prepareTables(sql);
    return sql;
  } catch (error) {
    await sql.close({ timeout: 0 });
    throw asDatabaseError(error, `PostgreSQL at ${hostname}:${port || 5432}`);
  }
}

async function prepareTables(sql: SQL): Promise<void> {
  await sql.begin(async (transaction) => {
    await transaction.unsafe(`SELECT pg_advisory_xact_lock(${SCHEMA_LOCK})`);
    const [found] = await transaction.unsafe(
      "SELECT to_regclass('mailkeep_head') IS NOT NULL AS exists, current_setting('server_encoding') AS encoding",
    );
    if (found.encoding !== "UTF8")
      throw new StoreError("database_failing", `the database has the encoding ${found.encoding}, not UTF8`);
    if (!found.exists) await transaction.unsafe(TABLES).simple();
    const [head] = await transaction.unsafe("SELECT format FROM mailkeep_head");
    if (head.format > FORMAT_VERSION)
      throw new StoreError(
        "format_too_new",
        `the database was written by a newer Mailkeep (format ${head.format}, this one knows ${FORMAT_VERSION}); nothing was changed`,
      );
    await assertWritable(transaction);
  });
}

const WRITABLE = `SELECT current_setting('transaction_read_only') = 'on' AS is_read_only, current_user AS role, (
  SELECT string_agg(privilege || ' on ' || name, ', ')
  FROM unnest(ARRAY['mailkeep_head', 'mailkeep_record', 'mailkeep_piece']) AS name,
    unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS privilege
  WHERE NOT has_table_privilege(name, privilege)
) AS missing`;

/** Throws on a replica or without the rights to write: all mail would be refused there. */
export async function assertWritable(connection: Pick<SQL, "unsafe">): Promise<void> {
  const [{ is_read_only, role, missing }] = await answered(connection.unsafe(WRITABLE));
  if (is_read_only)
    throw new StoreError(
      "database_failing",
      "PostgreSQL only allows reading: it is a replica, or set read-only",
    );
  if (missing !== null) throw new StoreError("database_failing", `the role ${role} lacks ${missing}`);
}

const DISK_FULL = "53100";

/** Only the first line of PostgreSQL's message is used, because other lines may quote mail. */
export function asDatabaseError(cause: unknown, server = "PostgreSQL"): StoreError {
  if (cause instanceof StoreError) return cause;
  const { code = "", errno = "", message: words } = (cause ?? {}) as Record<string, unknown>;
  if (String(errno) === DISK_FULL)
    return new StoreError("disk_full", "the disk of PostgreSQL is full", { cause });
  if (!String(code).startsWith("ERR_POSTGRES")) return asStoreError(cause);
  const [reason] = String(words).split("\n", 1);
  const isAnswer = code === "ERR_POSTGRES_SERVER_ERROR";
  const what = isAnswer ? `PostgreSQL reports an error (${errno})` : `${server} cannot be reached`;
  return new StoreError("database_failing", `${what}: ${reason}`, { cause });
}

export const lateError = () => new StoreError("database_failing", "PostgreSQL did not answer in time");

/** Fails if there is no answer in time, so that nobody waits for an unreachable server. */
export const answered = <Answer>(asked: Promise<Answer>, ms = ANSWER_MS): Promise<Answer> =>
  inTime(asked, ms, lateError).catch((error) => {
    throw asDatabaseError(error);
  });

export function reserved(sql: SQL): Promise<ReservedSQL> {
  const signal = AbortSignal.timeout(ANSWER_MS);
  return sql.reserve({ signal }).catch((error) => {
    throw signal.aborted ? lateError() : asDatabaseError(error);
  });
}

/** Removes pieces that a killed node has left. Receiving a mail should take far less than a day. */
const REMOVE_ABANDONED = `DELETE FROM mailkeep_piece WHERE created < now() - interval '1 day'
  AND NOT EXISTS (SELECT 1 FROM mailkeep_record AS record WHERE record.large = mailkeep_piece.large)`;

/** The node that holds the lock is the leader while its connection lives. */
export class Leadership {
  readonly #sql: SQL;
  readonly #listeners: ((isLeader: boolean) => void)[] = [];
  #connection: ReservedSQL | null = null;
  #timer: Timer | null = null;
  #looking: Promise<void> = Promise.resolve();
  #cleanedAt = Number.NEGATIVE_INFINITY;
  #isStopped = false;

  constructor(sql: SQL) {
    this.#sql = sql;
  }

  add(listener: (isLeader: boolean) => void): void {
    this.#listeners.push(listener);
    if (this.#connection !== null) listener(true);
    if (this.#listeners.length === 1) this.#lookAgain(0);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#looking;
    const connection = this.#connection;
    this.#connection = null;
    if (connection === null) return;
    for (const listener of this.#listeners) listener(false);
    await connection.close().catch(() => {});
  }

  #lookAgain(ms: number): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#looking = this.#look().finally(() => this.#lookAgain(LOOK_MS));
    }, ms).unref();
  }

  async #look(): Promise<void> {
    const wasLeader = this.#connection !== null;
    const connection = this.#connection ?? (await reserved(this.#sql).catch(() => null));
    if (connection === null) return;
    try {
      const question = wasLeader ? "true" : `pg_try_advisory_lock(${LEADER_LOCK})`;
      const asked = connection.unsafe(`SELECT ${question} AS leads`);
      const [row] = await answered(asked, LEADER_ANSWER_MS);
      if (row.leads && !wasLeader) await answered(connection.unsafe(END_SILENT_SESSION), LEADER_ANSWER_MS);
      if (!row.leads) await connection.release();
      this.#connection = row.leads ? connection : null;
    } catch {
      this.#connection = null;
      void connection.close().catch(() => {});
    }
    const isLeader = this.#connection !== null;
    if (isLeader !== wasLeader) for (const listener of this.#listeners) listener(isLeader);
    if (!isLeader || performance.now() < this.#cleanedAt + CLEAN_MS) return;
    this.#cleanedAt = performance.now();
    // Not awaited, because PostgreSQL ends the session of a leader that sends no query for a while.
    void this.#sql.unsafe(REMOVE_ABANDONED).catch(() => {});
  }
}
