// Runs a command as a user who owns nothing, where the machine lets us: what root may read says little.
import type { Finished } from "./mailkeep.ts";

const USER = "65534";
const prefix = ["setpriv", `--reuid=${USER}`, `--regid=${USER}`, "--clear-groups"];

export const canBeNobody: boolean =
  process.platform === "linux" &&
  process.getuid?.() === 0 &&
  Bun.which("setpriv") !== null &&
  Bun.spawnSync([...prefix, process.execPath, "--version"]).exitCode === 0;

export async function asNobody(command: readonly string[]): Promise<Finished> {
  const child = Bun.spawn([...prefix, ...command], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, HOME: "/nonexistent" },
  });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, out, err };
}
