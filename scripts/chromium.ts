// Finds a Chromium for the browser tests; on Debian as root it installs the distribution's package.

const CANDIDATES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const MAC_CHROME = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";

export async function findChromium(): Promise<string | null> {
  const given = process.env.CHROMIUM_PATH;
  if (given) return given;
  const found = CANDIDATES.map((name) => Bun.which(name)).find((path) => path !== null);
  if (found) return found;
  return (await Bun.file(MAC_CHROME).exists()) ? MAC_CHROME : null;
}

function run(command: string[]): boolean {
  const { exitCode } = Bun.spawnSync(command, {
    stdio: ["ignore", "ignore", "ignore"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
  return exitCode === 0;
}

function install(): boolean {
  console.log("Chromium is missing: installing Debian's package (once) …");
  run(["apt-get", "update", "-qq"]);
  return run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"]);
}

/** The path of an executable, or null after one line that says how to get one. */
export async function ensureChromium(): Promise<string | null> {
  const found = await findChromium();
  if (found) return found;
  const canInstall = Bun.which("apt-get") !== null && process.getuid?.() === 0;
  if (canInstall && install()) return findChromium();
  console.log(
    "Chromium is missing, the browser tests are skipped: install Chrome or Chromium, or set CHROMIUM_PATH.",
  );
  return null;
}
