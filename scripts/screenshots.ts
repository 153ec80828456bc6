// Takes the pictures of the README and of docs/page.md from a Mailkeep with the sample mails.
// `node scripts/run.mjs scripts/screenshots.ts [folder]`; needs Chromium.
import { join } from "node:path";
import { chromium, type Route } from "playwright-core";
import type { Message, MessageList, ServiceInfo } from "../src/model/index.ts";
import { startMailkeep } from "../test/browser/support/mailkeep.ts";
import { findChromium, LAUNCH_FLAGS } from "./chromium.ts";
import { SAMPLE_MAILS } from "./sample/mails.ts";
import { sendSample } from "./sample/send.ts";

interface Shot {
  readonly name: string;
  readonly scheme: "light" | "dark";
  readonly width: number;
  readonly height: number;
  readonly subject?: string;
  readonly path?: string;
  /** The title of a button to press first. */
  readonly press?: string;
}

const SHOTS: readonly Shot[] = [
  { name: "inbox-light", scheme: "light", width: 1440, height: 900, subject: "Thank you" },
  { name: "inbox-dark", scheme: "dark", width: 1440, height: 900, subject: "Thank you" },
  { name: "widths", scheme: "light", width: 1440, height: 900, subject: "Thank you", press: "Phone beside" },
  { name: "colours", scheme: "dark", width: 1440, height: 900, subject: "Thank you", press: "Light beside" },
  { name: "checks", scheme: "light", width: 1440, height: 900, subject: "Thank you", path: "?tab=checks" },
  {
    name: "search",
    scheme: "light",
    width: 1440,
    height: 900,
    path: "/?q=order+-from%3Akitchen+larger%3A1KB",
  },
  { name: "phone-list", scheme: "light", width: 390, height: 844, path: "/" },
  { name: "phone-message", scheme: "dark", width: 390, height: 844, subject: "Confirm" },
];

/** How long ago each mail arrived in the pictures, newest first. */
const AGES_MINUTES = [0, 8, 43, 130, 410, 1260, 1800, 4300, 6000, 7200, 8600, 12_000];

const folder = process.argv[2] ?? join(import.meta.dir, "../docs/images");
const executablePath = await findChromium();
if (!executablePath) throw new Error("Chromium is needed for pictures");

const browser = await chromium.launch({ executablePath, args: [...LAUNCH_FLAGS] });
const mailkeep = await startMailkeep();
for (const mail of SAMPLE_MAILS) await sendSample(mailkeep, mail);
const arrivals = await mailkeep.ids();
for (const shot of SHOTS) await take(shot);
await browser.close();
await mailkeep.stop();

async function take({ name, scheme, width, height, subject, path = "", press }: Shot): Promise<void> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    locale: "en-GB",
  });
  await context.route(/\/api\/v1\/messages(\?|\/[0-9A-Z]+\?)/, spreadInTime);
  await context.route("**/api/v1/info", withUsualPort);
  const page = await context.newPage();
  const start = subject ? `/messages/${await mailkeep.idOf(subject)}` : "";
  await page.goto(mailkeep.http + start + path);
  await page.locator("html[data-live=live]").waitFor();
  if (subject) await page.getByRole("tabpanel").waitFor();
  if (press) await page.getByTitle(press).click();
  await page.waitForLoadState("networkidle");
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await context.close();
  console.log(`${name}.png`);
}

async function spreadInTime(route: Route): Promise<void> {
  if (route.request().method() !== "GET") return route.continue();
  const response = await route.fetch();
  const body: Partial<MessageList & Message> = await response.json();
  for (const message of body.messages ?? [body]) {
    const age = AGES_MINUTES[arrivals.indexOf(message.id ?? "")] ?? 0;
    message.created_at = new Date(Date.now() - age * 60_000).toISOString();
  }
  await route.fulfill({ response, json: body });
}

/** The pictures show the default port, not the free one of this run. */
async function withUsualPort(route: Route): Promise<void> {
  const response = await route.fetch();
  const info: ServiceInfo = await response.json();
  await route.fulfill({ response, json: { ...info, smtp: { host: "127.0.0.1", port: 1025 } } });
}
