// The executable's entry point: hands the process over to the command line.
import { basename } from "node:path";
import { proxyExceptions, runCli } from "./cli/index.ts";
import { systemReason } from "./lib/system-error.ts";

Object.assign(process.env, proxyExceptions(process.env));

// Everything printed must be out before the process ends, also through a slow pipe. The last write tells when.
function printer(stream: NodeJS.WriteStream) {
  let written = Promise.resolve();
  let failure: Error | null = null;
  // The writer gets the error, too, in its callback.
  stream.on("error", () => {});
  const print = (text: string) => {
    // Bun calls back at once for an empty text, whatever still waits before it.
    if (text === "") return;
    written = new Promise((resolve) => {
      stream.write(text, (error) => {
        failure ??= error ?? null;
        resolve();
      });
    });
  };
  /** Resolves with what went wrong; a reader that has seen enough, such as `head`, is nothing wrong. */
  const finish = async (): Promise<Error | null> => {
    await written;
    return Object(failure).code === "EPIPE" ? null : failure;
  };
  return { print, finish };
}

/** Programs that send by /usr/sbin/sendmail name no command: a link of that name does, on Windows a copy. */
const command = /^sendmail(?:\.exe)?$/i.test(basename(process.argv0)) ? ["sendmail"] : [];

const out = printer(process.stdout);
const err = printer(process.stderr);
const exitCode = await runCli({
  args: [...command, ...process.argv.slice(2)],
  environment: process.env,
  input: () => Bun.stdin.bytes(),
  out: out.print,
  err: err.print,
});
const loss = await out.finish();
if (loss) err.print(`mailkeep: cannot write to standard output: ${systemReason(loss)}\n`);
await err.finish();
process.exit(exitCode || (loss ? 1 : 0));
