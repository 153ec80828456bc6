// Starts a PostgreSQL for tests, bench and soak: in a temporary folder, on a free port, as an ordinary user.
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { installPackages } from "./debian-packages.ts";

const DEBIAN = "/usr/lib/postgresql";
const NOBODY = 65_534;
/** PostgreSQL refuses to run as root. */
const AS_USER =
  process.getuid?.() === 0 ? ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"] : [];

/** The folder of PostgreSQL's programs; null if it is not installed. */
export function findPostgres(): string | null {
  const found = Bun.which("initdb");
  if (found !== null) return join(found, "..");
  const [newest] = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const folder = join(DEBIAN, newest ?? "", "bin");
  return existsSync(join(folder, "initdb")) ? folder : null;
}

export async function ensurePostgres(): Promise<void> {
  if (findPostgres() !== null || (await installPackages("PostgreSQL", ["postgresql"]))) return;
  console.log("PostgreSQL is missing, its tests are skipped: install it, with initdb in the PATH.");
}

export interface Postgres {
  /** Makes an empty database and returns its address. */
  createDatabase(): Promise<string>;
  /** Ends PostgreSQL without a shutdown, as a power failure would. */
  kill(): Promise<void>;
  /** Starts it again after `kill`, on the same port with the same data. */
  start(): Promise<void>;
  /** Runs SQL as the superuser. */
  run(sql: string): Promise<void>;
  /** Returns the rows of a query to one of its databases. */
  ask(address: string, sql: string): Promise<Record<string, unknown>[]>;
  stop(): Promise<void>;
}

export async function startPostgres(programs: string, settings: readonly string[] = []): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), "mailkeep-postgres-"));
  if (AS_USER.length > 0) chownSync(folder, NOBODY, NOBODY);
  const data = join(folder, "data");
  const made = Bun.spawnSync(
    [
      ...AS_USER,
      join(programs, "initdb"),
      "-D",
      data,
      "-U",
      "mailkeep",
      "-A",
      "trust",
      "-E",
      "UTF8",
      "--locale=C",
      "-N",
    ],
    { cwd: folder, stdio: ["ignore", "ignore", "pipe"] },
  );
  if (made.exitCode !== 0) throw new Error(made.stderr.toString());
  const port = freePort();
  const address = `postgres://mailkeep@127.0.0.1:${port}`;
  let server: Bun.Subprocess | null = null;
  let databases = 0;
  const ask = async (database: string, sql: string) => {
    const connection = new SQL(database, { max: 1, connectionTimeout: 60 });
    try {
      return [...(await connection.unsafe(sql))];
    } finally {
      await connection.close();
    }
  };
  const run = async (sql: string) => {
    await ask(`${address}/postgres`, sql);
  };
  const end = async (signal: "SIGQUIT" | "SIGINT") => {
    server?.kill(signal);
    await server?.exited;
    server = null;
  };
  const start = async () => {
    const options = [`port=${port}`, "listen_addresses=127.0.0.1", "unix_socket_directories=", ...settings];
    server = Bun.spawn(
      [...AS_USER, join(programs, "postgres"), "-D", data, ...options.flatMap((option) => ["-c", option])],
      { cwd: folder, stdio: ["ignore", "ignore", "ignore"] },
    );
    for (let tries = 0; ; tries++) {
      try {
        return await run("SELECT 1");
      } catch (error) {
        if (tries > 300 || server.exitCode !== null) throw error;
        await Bun.sleep(100);
      }
    }
  };
  await start();
  return {
    createDatabase: async () => {
      const name = `test_${++databases}`;
      await run(`CREATE DATABASE ${name}`);
      return `${address}/${name}`;
    },
    kill: () => end("SIGQUIT"),
    start,
    run,
    ask,
    stop: async () => {
      await end("SIGINT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const FIRST_PORT = 16_000;
const PORTS = 16_000;

/** Outgoing connections use higher ports, so none takes this port while its server is down. */
export function freePort(): number {
  const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
  try {
    Bun.listen({ hostname: "127.0.0.1", port, socket: { data() {} } }).stop(true);
    return port;
  } catch {
    return freePort();
  }
}
