// Runs a command as a user without rights, if this machine allows it. Root can read everything, so a test as root
// proves little.
import { type Finished, runProgram } from "./mailkeep.ts";

const prefixFor = (user: number) => ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups"];
const NOBODY = prefixFor(65_534);
/** A user without a name in the system, as in many containers. */
const NAMELESS = prefixFor(424_242);

export const canBeNobody: boolean =
  process.platform === "linux" &&
  process.getuid?.() === 0 &&
  Bun.which("setpriv") !== null &&
  Bun.spawnSync([...NOBODY, process.execPath, "--version"]).exitCode === 0;

export const asNobody = (command: readonly string[]): Promise<Finished> =>
  runProgram([...NOBODY, ...command], { env: { ...process.env, HOME: "/nonexistent" } });

export const asNameless = (
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Finished> =>
  runProgram([...NAMELESS, ...command], { env: { PATH: process.env.PATH ?? "", ...environment } });
