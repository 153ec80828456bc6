// A command run on behalf of somebody else: it has our terminal, it gets our signals.
import { endSignals, exitCodeOf } from "./signals.ts";

/** It is there, but the system does not run it: a script for an interpreter that is missing, another machine's program. */
export class NotExecutableError extends Error {
  constructor(name: string, cause: unknown) {
    super(`${name}: cannot be executed (${(cause as NodeJS.ErrnoException).code})`, { cause });
    this.name = "NotExecutableError";
  }
}

/** Ctrl+C and Ctrl+\ on a terminal reach the command without us: it belongs to the same group. */
const FROM_KEYBOARD: readonly NodeJS.Signals[] = ["SIGINT", "SIGQUIT"];

/** Java says what its threads do, and goes on: its server goes on with it. Windows does not have it. */
const ONLY_OF_COMMAND: readonly NodeJS.Signals[] = process.platform === "win32" ? [] : ["SIGQUIT"];

/** Passes signals on and answers with the exit code as a shell would give it. */
export async function runChild(
  command: readonly string[],
  env: Record<string, string | undefined>,
): Promise<number> {
  let child: ReturnType<typeof start> | null = null;
  const forward = (signal: NodeJS.Signals) => {
    if (!FROM_KEYBOARD.includes(signal) || !process.stdin.isTTY) child?.kill(signal);
  };
  const signals = [...endSignals(), ...ONLY_OF_COMMAND];
  // Before the command starts, so that no signal finds us without it.
  for (const signal of signals) process.on(signal, forward);
  try {
    child = start(command, env);
    const code = await child.exited;
    const { signalCode } = child;
    return typeof signalCode === "string" ? exitCodeOf(signalCode) : code;
  } finally {
    for (const signal of signals) process.off(signal, forward);
  }
}

function start(command: readonly string[], env: Record<string, string | undefined>) {
  try {
    return Bun.spawn([...command], { env, stdio: ["inherit", "inherit", "inherit"] });
  } catch (error) {
    throw new NotExecutableError(command[0] ?? "", error);
  }
}
