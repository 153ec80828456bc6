// Takes the README's pictures: starts Mailkeep in memory, sends the sample mails, photographs the page.
// `node scripts/run.mjs scripts/screenshots.ts [folder]`; needs Chromium.
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { findChromium, LAUNCH_FLAGS } from "../test/browser/support/chromium.ts";
import { startMailkeep } from "../test/browser/support/mailkeep.ts";
import { SAMPLE_MAILS } from "./sample/mails.ts";
import { sendSample } from "./sample/send.ts";

interface Shot {
  readonly name: string;
  readonly scheme: "light" | "dark";
  readonly width: number;
  readonly height: number;
  readonly subject?: string;
  readonly path?: string;
  readonly prepare?: (page: Page) => Promise<void>;
}

const SHOTS: readonly Shot[] = [
  { name: "inbox-light", scheme: "light", width: 1440, height: 900, subject: "Thank you" },
  { name: "inbox-dark", scheme: "dark", width: 1440, height: 900, subject: "Reset your password" },
  { name: "checks", scheme: "light", width: 1280, height: 800, subject: "Thank you", path: "?tab=checks" },
  { name: "source-dark", scheme: "dark", width: 1280, height: 800, subject: "Invoice", path: "?tab=source" },
  { name: "search", scheme: "light", width: 1280, height: 800, path: "/?q=order" },
  { name: "phone-list", scheme: "light", width: 390, height: 844, path: "/" },
  { name: "phone-message", scheme: "dark", width: 390, height: 844, subject: "Confirm" },
];

const folder = process.argv[2] ?? join(import.meta.dir, "../docs/images");
const executablePath = findChromium();
if (!executablePath) throw new Error("Chromium is needed for pictures");

const browser = await chromium.launch({ executablePath, args: [...LAUNCH_FLAGS] });
const mailkeep = await startMailkeep();
const empty = await browser.newPage({ viewport: { width: 1280, height: 800 } });
await empty.goto(mailkeep.http);
await empty.getByRole("heading", { name: "Waiting for the first mail" }).waitFor();
await empty.screenshot({ path: join(folder, "empty.png") });
for (const mail of SAMPLE_MAILS) await sendSample(mailkeep, mail);
for (const shot of SHOTS) await take(shot);
await browser.close();
await mailkeep.stop();

async function take({ name, scheme, width, height, subject, path = "", prepare }: Shot): Promise<void> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    locale: "en-GB",
  });
  const page = await context.newPage();
  const start = subject ? `/messages/${await mailkeep.idOf(subject)}` : "";
  await page.goto(mailkeep.http + start + path);
  await page.getByText("Live").first().waitFor({ state: "attached" });
  if (subject) await page.getByRole("tabpanel").waitFor();
  await page.waitForLoadState("networkidle");
  await prepare?.(page);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await context.close();
  console.log(`${name}.png`);
}
