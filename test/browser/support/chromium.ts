// Finds a Chromium to test with; without one the browser tests are skipped.
import { existsSync } from "node:fs";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export const LAUNCH_FLAGS: readonly string[] = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export function findChromium(): string | undefined {
  const wanted = process.env.MAILKEEP_TEST_CHROMIUM;
  return [...(wanted ? [wanted] : []), ...PLACES].find((path) => existsSync(path));
}
