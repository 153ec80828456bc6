// Starts a real Mailkeep in its own process: the executable that MAILKEEP_BINARY names, otherwise from source. It uses
// free ports unless `args` name some, and keeps mail in memory unless a data folder is given.
import { join } from "node:path";

const root = join(import.meta.dir, "../..");

export function mailkeepCommand(args: readonly string[]): string[] {
  const binary = process.env.MAILKEEP_BINARY;
  return binary ? [binary, ...args] : [process.execPath, join(root, "src/main.ts"), ...args];
}

export interface Running {
  readonly process: Bun.Subprocess<"ignore", "pipe", "pipe">;
  readonly smtpPort: number;
  readonly smtpsPort: number | null;
  readonly http: string;
  /** Lines printed so far on standard output. */
  readonly lines: string[];
  /** Resolves with the first accepted line, whether it was already printed or comes later. */
  line(accepts: (line: string) => boolean): Promise<string>;
  /** Stops the server with SIGTERM. Resolves with the exit code when the last line has been read. */
  stop(): Promise<number>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface StartOptions {
  readonly dataDir?: string;
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** A command that runs the command in its arguments, such as `nohup`. */
  readonly through?: readonly string[];
}

const portOf = (address: string) => Number(/:(\d+)$/.exec(address)?.[1]);

export async function startMailkeep(options: StartOptions = {}): Promise<Running> {
  const storage = options.dataDir === undefined ? ["--ephemeral"] : ["--data-dir", options.dataDir];
  const given = options.args ?? [];
  const usual = ["--smtp-port=0", "--http-port=0", "--log-format=json", ...storage];
  const isGiven = (flag: string) => given.some((arg) => arg.split("=")[0] === flag.split("=")[0]);
  const args = ["serve", ...usual.filter((flag) => !isGiven(flag)), ...given];
  const child = Bun.spawn([...(options.through ?? []), ...mailkeepCommand(args)], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...options.environment },
  });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  const reading = (async () => {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of child.stdout) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = parts.pop() ?? "";
      lines.push(...parts);
      for (const wake of waiting) wake();
    }
  })();

  const line = async (accepts: (line: string) => boolean): Promise<string> => {
    for (;;) {
      const found = lines.find(accepts);
      if (found !== undefined) return found;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add(resolve);
      const ended = reading.then(async () => {
        if (!lines.some(accepts))
          throw new Error(`Mailkeep ended: ${await new Response(child.stderr).text()}`);
      });
      await Promise.race([promise, ended]);
      waiting.delete(resolve);
    }
  };

  const ready = JSON.parse(await line((text) => text.includes('"event":"ready"')));
  const stop = async () => {
    child.kill("SIGTERM");
    const code = await child.exited;
    await reading;
    return code;
  };
  return {
    process: child,
    smtpPort: portOf(ready.smtp),
    smtpsPort: ready.smtps ? portOf(ready.smtps) : null,
    http: ready.http,
    lines,
    line,
    stop,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

export interface Finished {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export const runMailkeep = (
  args: readonly string[],
  { environment = {}, input = "" }: { environment?: Record<string, string>; input?: string } = {},
): Promise<Finished> => runProgram(mailkeepCommand(args), { env: { ...process.env, ...environment }, input });

export async function runProgram(
  command: readonly string[],
  {
    input = "",
    ...options
  }: {
    readonly env?: Record<string, string | undefined>;
    readonly cwd?: string;
    readonly input?: string;
  } = {},
): Promise<Finished> {
  const child = Bun.spawn([...command], { ...options, stdio: [new Blob([input]), "pipe", "pipe"] });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, out, err };
}
