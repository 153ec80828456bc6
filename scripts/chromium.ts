// Finds a Chromium for the browser tests; on Debian as root it installs the distribution's package.
import { installPackages } from "./debian-packages.ts";

/** This build of Chromium draws no windows, so tests take a third less processor time. */
const WITHOUT_WINDOWS = "chromium-headless-shell";
const CANDIDATES = [WITHOUT_WINDOWS, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const MAC_CHROME = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";

/** Turns off features that tests do not need, and the sandbox, which fails in containers. */
export const LAUNCH_FLAGS: readonly string[] = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export async function findChromium(): Promise<string | null> {
  const given = process.env.CHROMIUM_PATH;
  if (given) return given;
  const found = CANDIDATES.map((name) => Bun.which(name)).find((path) => path !== null);
  if (found) return found;
  return (await Bun.file(MAC_CHROME).exists()) ? MAC_CHROME : null;
}

export async function ensureChromium(): Promise<void> {
  if (process.env.CHROMIUM_PATH || Bun.which(WITHOUT_WINDOWS) !== null) return;
  if (await installPackages("Chromium without windows", [WITHOUT_WINDOWS])) return;
  if ((await findChromium()) !== null) return;
  console.log(
    "Chromium is missing, the browser tests are skipped: install Chrome or Chromium, or set CHROMIUM_PATH.",
  );
}
