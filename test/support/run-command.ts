// Runs a command to its end inside this process, which takes a tenth of the time of a separate process.
import { runCli } from "../../src/cli/index.ts";
import type { Finished } from "./mailkeep.ts";

export async function runCommand(
  args: readonly string[],
  { environment = {}, input = "" }: { environment?: Record<string, string>; input?: string } = {},
): Promise<Finished> {
  let out = "";
  let err = "";
  const code = await runCli({
    args,
    environment: { ...process.env, ...environment },
    input: async () => new TextEncoder().encode(input),
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { code, out, err };
}
