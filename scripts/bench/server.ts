// A measured server, and how its process is started and ended.
import { connect } from "node:net";

export interface ServerUnderTest {
  readonly name: string;
  readonly pid: number;
  readonly smtpPort: number;
  /** Whether a search for this word finds a mail; null if the server has no search. */
  readonly finds: ((word: string) => Promise<boolean>) | null;
  /** How many mails the server lists; null if it cannot say. */
  readonly listed: (() => Promise<number>) | null;
  stop(): Promise<void>;
}

const READY_TIMEOUT_MS = 10_000;
const STOP_TIMEOUT_MS = 15_000;
const POLL_MS = 2;

type Process = Bun.Subprocess<"ignore", "pipe" | "ignore", "ignore">;

const running = new Set<Process>();
let isOver = false;

export function start(command: readonly string[], environment: Record<string, string> = {}): Process {
  const child = Bun.spawn([...command], {
    stdio: ["ignore", "ignore", "ignore"],
    env: { ...process.env, ...environment },
  });
  return watched(child);
}

export function watched(child: Process): Process {
  running.add(child);
  if (isOver) child.kill("SIGKILL");
  return child;
}

export async function stop(child: Process): Promise<void> {
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await child.exited;
  clearTimeout(timer);
  running.delete(child);
}

/** Kills all running servers. Later ones are killed as soon as they start. */
export async function killAll(): Promise<void> {
  isOver = true;
  for (const child of running) child.kill("SIGKILL");
  await Promise.all([...running].map((child) => child.exited));
}

const accepts = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });

export async function untilListening(port: number): Promise<void> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  while (!(await accepts(port))) {
    if (performance.now() > deadline) throw new Error(`nothing listens on port ${port}`);
    await Bun.sleep(POLL_MS);
  }
}
