// The executable's entry point: hands the process over to the command line.
import { runCli } from "./cli/index.ts";
import { proxyExceptions } from "./lib/proxy-exceptions.ts";

Object.assign(process.env, proxyExceptions(process.env));

const exitCode = await runCli({
  args: process.argv.slice(2),
  environment: process.env,
  input: () => Bun.stdin.bytes(),
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});

// Everything printed must be out before the process ends, also through a slow pipe.
const drained = (stream: NodeJS.WriteStream) =>
  new Promise<void>((resolve) => stream.write("", () => resolve()));
await Promise.all([drained(process.stdout), drained(process.stderr)]);
process.exit(exitCode);
