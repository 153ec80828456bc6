// `npm run check`: format and lint, types, dead code. All of them run, even if one fails.
const steps: Record<string, string[]> = {
  "format and lint": ["biome", "check", "--error-on-warnings", "."],
  types: ["tsc", "-p", "."],
  "types of the page": ["tsc", "-p", "src/web"],
  "types of the browser tests": ["tsc", "-p", "test/browser"],
  "dead code": ["knip", "--no-progress"],
};

let failed = 0;
for (const [name, command] of Object.entries(steps)) {
  const started = performance.now();
  const { exitCode } = Bun.spawnSync([process.execPath, "x", ...command], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${exitCode === 0 ? "ok    " : "FAILED"} ${name} (${seconds} s)`);
  if (exitCode !== 0) failed++;
}
process.exit(failed === 0 ? 0 : 1);
