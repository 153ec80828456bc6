// The executable's entry point: hands the process over to the command line.
import { runCli } from "./cli/index.ts";
import { proxyExceptions } from "./lib/proxy-exceptions.ts";

Object.assign(process.env, proxyExceptions(process.env));

// Everything printed must be out before the process ends, also through a slow pipe. The last write tells when.
function printer(stream: NodeJS.WriteStream) {
  let written = Promise.resolve();
  const print = (text: string) => {
    // Bun calls back at once for an empty text, whatever still waits before it.
    if (text === "") return;
    written = new Promise((resolve) => {
      stream.write(text, () => resolve());
    });
  };
  return { print, written: () => written };
}

const out = printer(process.stdout);
const err = printer(process.stderr);
const exitCode = await runCli({
  args: process.argv.slice(2),
  environment: process.env,
  input: () => Bun.stdin.bytes(),
  out: out.print,
  err: err.print,
});
await Promise.all([out.written(), err.written()]);
process.exit(exitCode);
