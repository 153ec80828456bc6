// The executable's entry point: runs the command line and ends the process with its exit code.
import { basename } from "node:path";
import { proxyExceptions, runCli } from "./cli/index.ts";
import { systemReason } from "./lib/system-error.ts";

Object.assign(process.env, proxyExceptions(process.env));

// The process may end only after everything is printed, even through a slow pipe. The callback of
// the last write says when that is.
function printer(stream: NodeJS.WriteStream) {
  let written = Promise.resolve();
  let failure: Error | null = null;
  // Without a listener an error would end the process. The callback of `write` gets it, too.
  stream.on("error", () => {});
  const print = (text: string) => {
    // For an empty text Bun calls back at once, even if earlier texts are still waiting.
    if (text === "") return;
    written = new Promise((resolve) => {
      stream.write(text, (error) => {
        failure ??= error ?? null;
        resolve();
      });
    });
  };
  /** Resolves with the first error, or null. EPIPE counts as none: `head` closes the pipe early. */
  const finish = async (): Promise<Error | null> => {
    await written;
    return Object(failure).code === "EPIPE" ? null : failure;
  };
  return { print, finish };
}

/** /usr/sbin/sendmail may be a link to Mailkeep: called as `sendmail`, it runs that command. */
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
