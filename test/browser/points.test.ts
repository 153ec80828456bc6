// What people who test mail need to see, on a wide dark page and on a light phone. Overflow is also checked at a width
// in between. On the phone axe checks only colours.
import { beforeAll, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { COLOURS, violationsIn } from "./support/axe.ts";
import { inBrowser, rowOf, waitForSubjects } from "./support/browser.ts";
import { intercept } from "./support/intercept.ts";

const WIDE_PX = 1440;
/** At this width there is a drawer instead of the rail. */
const MEDIUM_PX = 1024;
const PHONE_PX = 390;
const MOST_HEADING_PX = 36;

interface Stage {
  readonly width: number;
  open(path?: string): Promise<Page>;
  openMail(subject: string, query?: string): Promise<Page>;
  /** Expects these elements, no overflow, and no violation found by axe. */
  shows(...what: readonly Locator[]): Promise<void>;
}

const POINTS: Record<string, (stage: Stage) => Promise<void>> = {
  "codes and links are there at once": async ({ open, shows }) => {
    const page = await open();
    const row = rowOf(page, "Your code");
    await row.hover();
    await shows(row.getByRole("button", { name: "Copy code 482913" }));
    await row.click();
    const extracts = page.getByRole("list", { name: "Codes and links" });
    await shows(extracts.getByText("482913"), extracts.getByRole("link", { name: "Confirm" }));
  },

  "previews stand side by side, and say what dark imitates": async ({ openMail, shows, width }) => {
    const page = await openMail("Your code");
    const frames = page.locator("iframe.html-frame");
    if (width > 800) {
      await page.getByTitle("Phone beside desktop").click();
      await shows(frames.first(), frames.nth(1));
      await page.getByTitle("Light beside dark").click();
      await page.locator("iframe[title*=dark]").waitFor();
    } else await page.keyboard.press("d");
    await shows(frames.last(), page.getByLabel("Dark:"), page.getByRole("button", { name: "Fit" }));
  },

  "the bar gives way on a phone, and the details of the head unfold": async ({ openMail, shows, width }) => {
    const page = await openMail("Your code");
    const frame = page.locator("iframe.html-frame");
    await frame.waitFor();
    expect(await page.getByRole("banner").count()).toBe(width > 800 ? 1 : 0);
    await page.locator(".head-people").click();
    await shows(frame, page.locator(".message-head").getByText("hidden@example.com"));
  },

  "the rail, or a drawer, leads to views, recipients and tags": async ({ open, shows, width }) => {
    const page = await open();
    const rail = await openRail(page, width);
    const ann = rail.getByRole("group", { name: "Recipients" }).getByRole("button", { name: "ann@" });
    await shows(rail.getByRole("button", { name: "Unread" }), rail.getByRole("button", { name: "checkout" }));
    await ann.getByText("2").waitFor();
    await ann.click();
    await waitForSubjects(page, ["Order 2", "Order 1"]);
  },

  "the search suggests, shows operators as chips and names unknown ones": async ({ open, shows }) => {
    const page = await open();
    const box = page.getByLabel("Search mail");
    await box.fill("-from:shop form:x");
    await shows(page.getByText("did you mean from:").first());
    await box.fill("-from:shop ord fr");
    await shows(
      page.getByRole("listbox", { name: "Suggestions" }).getByText("from:word"),
      page.getByRole("button", { name: "Remove -from:shop" }),
    );
    await box.fill("-from:shop ord");
    await waitForSubjects(page, ["Order 2", "Order 1"]);
  },

  "attachments open, an attached mail as a mail, and parts as a tree": async (stage) => {
    const page = await stage.openMail("Files", "?tab=attachments");
    await stage.shows(page.getByRole("link", { name: "Download all" }));
    await page.getByRole("button", { name: "View inner.eml" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.frameLocator("iframe").getByText("Inner page").waitFor();
    await stage.shows(dialog.getByText("a@example.com"), dialog.locator("iframe"));
    await page.keyboard.press("Escape");
    await page.keyboard.press("5");
    await stage.shows(page.locator(".part", { hasText: "inner.eml" }));
  },

  "two mails are compared": async ({ open, shows }) => {
    const page = await open();
    for (const subject of ["Order 1", "Order 2"]) await rowOf(page, subject).getByRole("checkbox").click();
    await page.getByRole("button", { name: "Compare" }).click();
    const differences = page.getByRole("region", { name: "Differences" });
    await shows(differences.locator("del", { hasText: "5" }), differences.locator("ins", { hasText: "7" }));
    for (const [part, difference] of [
      ["Headers", "2"],
      ["HTML", "7"],
    ] as const) {
      await page.getByRole("radiogroup", { name: "Compare" }).getByText(part).click();
      await differences.locator("ins", { hasText: difference }).first().waitFor();
    }
    await page.keyboard.press("Escape");
    await page.getByText("2 selected").waitFor();
  },

  "runs are grouped, folded and deleted": async ({ open, shows }) => {
    const page = await open();
    await page.getByRole("button", { name: "Group by run" }).click();
    const run = page.getByRole("button", { name: /^nightly .*, 2 mails$/ });
    await shows(run);
    const { height } = (await page.locator(".run-row").first().boundingBox()) ?? {};
    expect(height).toBeLessThanOrEqual(MOST_HEADING_PX);
    await run.click();
    await rowOf(page, "Order 1").waitFor({ state: "detached" });
    await run.click();
    await page.locator(".run-row", { has: run }).getByRole("button", { name: "Delete this run" }).click();
    await shows(page.getByRole("button", { name: "Delete 2 mails" }));
    await page.getByRole("button", { name: "Cancel" }).click();
    await rowOf(page, "Order 1").waitFor();
  },

  "the first second has a frame that stays, and an empty page helps": async ({ open, shows }) => {
    const page = await open();
    const loaded = Promise.withResolvers<void>();
    await intercept(page, "**/*.js", async (route) => {
      await loaded.promise;
      await route.continue();
    });
    await page.goto(page.url(), { waitUntil: "commit" });
    await page.waitForFunction(() => document.styleSheets.length > 0);
    const place = await page.locator("[aria-hidden] > .search-box").boundingBox();
    expect(place).not.toBeNull();
    loaded.resolve();
    const row = rowOf(page, "(no subject)");
    await shows(row);
    expect(await page.locator(".search-box").boundingBox()).toEqual(place);
    expect((await row.boundingBox())?.height).toBe(64);
    await page.goto(new URL("/?inbox=quiet", page.url()).href);
    await shows(page.getByRole("button", { name: "Send a sample mail" }));
  },

  "panels show checks, transcript, faults, inboxes and tokens": async ({ openMail, shows }) => {
    const page = await openMail("Your code");
    await page.keyboard.press("7");
    const scores = page.locator(".checks-view .pill", { hasText: /\d/ });
    await scores.first().waitFor();
    for (const notes of await page.locator("summary").all()) await notes.click();
    await shows(scores.first(), page.getByRole("row", { name: /^Outlook \(Windows\).*css-display-grid/ }));
    await page.keyboard.press("8");
    await shows(page.getByText("RCPT TO:<hidden@example.com>"));
    for (const [key, name, content] of [
      ["f", "Faults on purpose", "slow"],
      ["e", "Refused mail", "slow down"],
      ["b", "Inboxes", "quiet"],
      ["y", "Tokens", "nightly tests"],
    ] as const) {
      await page.keyboard.press(key);
      const dialog = page.getByRole("dialog", { name });
      await shows(dialog.getByText(content).first());
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    }
  },
};

inBrowser("on a wide page and on a phone", (bench) => {
  beforeAll(async () => {
    const { mailkeep } = bench();
    await mailkeep.send({ subject: "", from: '"Shop" <shop@example.com>' });
    await mailkeep.send({ subject: "Files", from: "shop@example.com", attachments: FILES });
    for (const [number, price] of [
      [1, 5],
      [2, 7],
    ]) {
      await mailkeep.send({
        subject: `Order ${number}`,
        to: "ann@example.com",
        headers: { "X-Mailkeep-Run": "nightly" },
        text: `Hello Ann,\nyou pay ${price} EUR.`,
        html: `<p>Hello Ann,</p><p>you pay <b>${price} EUR</b>.</p>`,
      });
    }
    await mailkeep.send({
      subject: "Your code",
      from: '"Shop" <shop@example.com>',
      bcc: "hidden@example.com",
      html: '<p style="display: grid">Your code is <b>482913</b>.</p><p><a href="https://shop.example/verify?t=1">Verify</a>',
    });
    await mailkeep.ask("PATCH", `/messages/${await mailkeep.idOf("Order 1")}`, { tags: ["checkout", "ci"] });
    await mailkeep.ask("POST", "/faults", {
      name: "slow",
      at: "rcpt",
      reply: { code: 451, text: "slow down" },
      to: "no@*",
    });
    await mailkeep.send({ to: "no@example.com" }).catch(() => undefined);
    await mailkeep.ask("PUT", "/inboxes/quiet", {});
    await mailkeep.ask("POST", "/tokens", { name: "nightly tests", role: "read" });
  });

  for (const [point, show] of Object.entries(POINTS)) {
    test(point, async () => {
      for (const width of [WIDE_PX, PHONE_PX]) await show(stage(width));
    });
  }

  function stage(width: number): Stage {
    let page: Page;
    const isWide = width === WIDE_PX;
    const resize = (width: number) => page.setViewportSize({ width, height: 900 });
    const open = async (path?: string) => {
      page = await bench().open(path, { viewport: { width, height: 900 } });
      await page.emulateMedia({ colorScheme: isWide ? "dark" : "light", reducedMotion: "reduce" });
      return page;
    };
    return {
      width,
      open,
      openMail: async (subject, query = "") =>
        open(`/messages/${await bench().mailkeep.idOf(subject)}${query}`),
      shows: async (...what) => {
        for (const locator of what) await locator.waitFor();
        const overflow = { [width]: await overflowOf(page) };
        const violations = await violationsIn(page, isWide ? undefined : COLOURS);
        if (isWide) {
          await resize(MEDIUM_PX);
          overflow[MEDIUM_PX] = await overflowOf(page);
          await resize(WIDE_PX);
        }
        const fits = isWide ? { [WIDE_PX]: 0, [MEDIUM_PX]: 0 } : { [PHONE_PX]: 0 };
        expect({ overflow, violations }).toEqual({ overflow: fits, violations: [] });
      },
    };
  }
});

/** By how much the page is too wide. After a resize it has its new size only two frames later. */
const overflowOf = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const measure = () => resolve(document.documentElement.scrollWidth - innerWidth);
        requestAnimationFrame(() => requestAnimationFrame(measure));
      }),
  );

async function openRail(page: Page, width: number): Promise<Locator> {
  if (width < 1200) await page.getByRole("button", { name: "Mailbox and tags" }).click();
  return page.getByRole("navigation", { name: "Mailbox" });
}

const FILES = [
  {
    filename: "invite.ics",
    contentType: "text/calendar",
    content: "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Lunch\r\nEND:VEVENT\r\nEND:VCALENDAR",
  },
  {
    filename: "inner.eml",
    contentType: "message/rfc822",
    content:
      "From: a@example.com\r\nSubject: Inside\r\nContent-Type: text/html\r\n\r\n<p>Inner page</p><script>document.body.remove()</script>",
  },
];
