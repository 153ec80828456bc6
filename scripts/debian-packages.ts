// Installs what tests need from Debian's packages, as root on Debian.

function run(command: string[]): boolean {
  const { exitCode } = Bun.spawnSync(command, {
    stdio: ["ignore", "ignore", "ignore"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
  return exitCode === 0;
}

/** False where it cannot. */
export function installPackages(what: string, packages: readonly string[]): boolean {
  if (Bun.which("apt-get") === null || process.getuid?.() !== 0) return false;
  console.log(`Not installed: ${what}. Installing Debian's package (once) …`);
  run(["apt-get", "update", "-qq"]);
  return run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", ...packages]);
}

/** They start as services of the machine: only where nobody works on it. */
export function ensureSpamFilters(): void {
  const PATH = `${process.env.PATH}:/usr/sbin`;
  const missing = ["spamd", "rspamd"].filter((name) => Bun.which(name, { PATH }) === null);
  if (missing.length === 0 || (process.env.CI && installPackages(missing.join(" and "), missing))) return;
  console.log(
    `The tests with ${missing.join(" and ")} are skipped: install Debian's packages of these names.`,
  );
}
