// Installs what tests need from Debian's packages, as root on Debian.

/** Only one apt-get can run at a time. */
let last: Promise<unknown> = Promise.resolve();

async function run(...command: string[]): Promise<boolean> {
  const child = Bun.spawn(command, {
    stdio: ["ignore", "ignore", "ignore"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
  return (await child.exited) === 0;
}

export async function installPackages(what: string, packages: readonly string[]): Promise<boolean> {
  if (Bun.which("apt-get") === null || process.getuid?.() !== 0) return false;
  console.log(`Not installed: ${what}. Installing Debian's package (once) …`);
  const installed = last.then(async () => {
    await run("apt-get", "update", "-qq");
    return run("apt-get", "install", "-y", "-qq", "--no-install-recommends", ...packages);
  });
  last = installed;
  return installed;
}

/** Spam filters start as services of the machine, so they are installed only in CI. */
export async function ensureSpamFilters(): Promise<void> {
  const PATH = `${process.env.PATH}:/usr/sbin`;
  const missing = ["spamd", "rspamd"].filter((name) => Bun.which(name, { PATH }) === null);
  if (missing.length === 0 || (process.env.CI && (await installPackages(missing.join(" and "), missing))))
    return;
  console.log(
    `The tests with ${missing.join(" and ")} are skipped: install Debian's packages of these names.`,
  );
}
