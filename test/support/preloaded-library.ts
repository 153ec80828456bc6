// C code that is loaded into a process before the program. Needs Linux and a C compiler.
import { basename, join } from "node:path";

const compiler = process.platform === "linux" ? Bun.which("cc") : null;

export const canPreloadLibrary = compiler !== null;

/** Compiles the source into this folder and returns the environment for the process. */
export function preloadedLibrary(source: string, folder: string): Record<string, string> {
  const library = join(folder, `${basename(source, ".c")}.so`);
  const command = [compiler ?? "cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"];
  const { exitCode, stderr } = Bun.spawnSync(command);
  if (exitCode !== 0) throw new Error(`${command[0]}: ${stderr}`);
  return { LD_PRELOAD: library };
}
