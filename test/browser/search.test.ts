// Finding mail: search while typing, filters as chips, and an address for every view.
import { beforeAll, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { violationsIn } from "./support/axe.ts";
import { inBrowser, rowOf, subjectsIn, waitForSubjects } from "./support/browser.ts";
import { floodBySmtp } from "./support/flood.ts";
import { intercept } from "./support/intercept.ts";

inBrowser("finding mail", (bench) => {
  beforeAll(async () => {
    const { mailkeep } = bench();
    await mailkeep.send({ subject: "Receipt", text: "Thank you for the café order" });
    await mailkeep.send({ subject: "Photos", attachments: [{ filename: "a.txt", content: "a" }] });
    await mailkeep.send({ subject: "Order shipped", from: '"Shop" <shop@example.com>' });
  });

  test("search finds as one types, counts the hits and marks the words", async () => {
    const page = await bench().open();
    await page.getByLabel("Search mail").pressSequentially("ord");
    await waitForSubjects(page, ["Order shipped", "Receipt"]);
    await page.getByText("2 hits").waitFor();
    expect(await page.locator("mark").allTextContents()).toContain("Ord");
    expect(new URL(page.url()).searchParams.get("q")).toBe("ord");
  });

  test("mail of the previous list is not counted as hits", async () => {
    const page = await bench().open();
    const answered = Promise.withResolvers<void>();
    await intercept(page, /\/messages\?.*q=/, async (route) => {
      await answered.promise;
      await route.continue();
    });
    await page.getByLabel("Search mail").fill("photos");
    await page.getByText("searching …").waitFor();
    answered.resolve();
    await page.getByText("1 hit").waitFor();
  });

  test("an operator in the search box is a filter", async () => {
    const page = await bench().open();
    for (const [typed, found] of [
      ["from:SHOP", ["Order shipped"]],
      ["to:user@ has:attachment", ["Photos"]],
      ['subject:"order shipped"', ["Order shipped"]],
      ["order is:unread", ["Order shipped", "Receipt"]],
      ["order -from:shop", ["Receipt"]],
      ["from:", ["Order shipped", "Photos", "Receipt"]],
    ] as const) {
      await page.getByLabel("Search mail").fill(typed);
      await page.waitForURL(({ searchParams }) => searchParams.get("q") === typed);
      await page.getByText(found.length === 1 ? "1 hit" : `${found.length} hits`).waitFor();
      await waitForSubjects(page, found);
    }
  });

  test("on a narrow page the key for search leads from an opened message to the list", async () => {
    const { open, mailkeep } = bench();
    const address = `/messages/${await mailkeep.idOf("Photos")}`;
    const page = await open(address, { viewport: { width: 390, height: 740 } });
    await page.keyboard.press("/");
    await page.waitForFunction(() => document.activeElement?.id === "search");
    await page.keyboard.type("ord");
    await waitForSubjects(page, ["Order shipped", "Receipt"]);
    await page.goBack();
    await page.goBack();
    await page.getByRole("heading", { name: "Photos" }).waitFor();
  });

  test("accents matter neither for finding nor for marking", async () => {
    const page = await bench().open("/?q=cafe");
    await waitForSubjects(page, ["Receipt"]);
    expect(await page.locator("mark").first().textContent()).toBe("café");
  });

  test("the words that an operator found are marked", async () => {
    const page = await bench().open();
    for (const [typed, marked] of [
      ["from:shop", "Shop"],
      ["to:USER", "user"],
      ['subject:"order shipped"', "Order shipped"],
    ] as const) {
      await page.getByLabel("Search mail").fill(typed);
      await rowOf(page, "Order shipped").locator("mark", { hasText: marked }).waitFor();
    }
  });

  test("an unknown operator is named, also if something was found", async () => {
    const page = await bench().open();
    for (const [typed, unknown, hits] of [
      ["-subjct:order", "subjct:", "3 hits"],
      ["form:ann OR order", "form:", "2 hits"],
      ["from:nobody fom:ann", "fom:", "0 hits"],
    ] as const) {
      await page.getByLabel("Search mail").fill(typed);
      await page.getByText(hits).waitFor();
      await page
        .getByRole("status")
        .filter({ hasText: `${unknown} is not a search operator` })
        .waitFor();
    }
  });

  test("a long search without hits keeps the way back visible", async () => {
    const page = await bench().open(`/?q=${"x".repeat(3000)}`);
    const back = await page.getByRole("button", { name: "Show all mail" }).boundingBox();
    expect((back?.y ?? Number.POSITIVE_INFINITY) + (back?.height ?? 0)).toBeLessThan(800);
  });

  test("a long pasted search can be reloaded", async () => {
    const page = await bench().open();
    await page.getByLabel("Search mail").focus();
    await page.keyboard.insertText("ä".repeat(20_000));
    await page.getByText("Nothing found for").waitFor();
    await page.reload();
    await page.getByText("Nothing found for").waitFor();
  });

  test("leaving a search without hits shows no wrong notice on the way, and keeps the focus", async () => {
    const page = await bench().open("/?q=zebra");
    await page.getByRole("heading", { name: "Nothing found" }).waitFor();
    await page.evaluate(() => {
      const told = new Set<string>();
      const listen = () => {
        for (const { textContent } of document.querySelectorAll("h2")) told.add(textContent);
        document.body.dataset.told = [...told].join(", ");
      };
      new MutationObserver(listen).observe(document.body, { childList: true, subtree: true });
    });
    await page.getByLabel("Search mail").fill("photos");
    await waitForSubjects(page, ["Photos"]);
    await page.getByLabel("Search mail").fill("zebra");
    await page.getByRole("heading", { name: "Nothing found" }).waitFor();
    await page.getByRole("button", { name: "Show all mail" }).click();
    await rowOf(page, "Receipt").waitFor();
    await page.waitForFunction(() => document.activeElement?.id === "content");
    const told = await page.locator("body").getAttribute("data-told");
    expect(told).toContain("Nothing found for “zebra”");
    expect(told).not.toContain("Nothing found for “photos”");
    expect(told).not.toContain("Waiting for the first mail");
  });

  test("chips filter, combine, and are in the address", async () => {
    const page = await bench().open();
    await page.getByRole("button", { name: "Attachments" }).click();
    await waitForSubjects(page, ["Photos"]);
    await page.getByRole("button", { name: "Starred" }).click();
    await page.getByRole("heading", { name: "Nothing matches" }).waitFor();
    expect(new URL(page.url()).search).toBe("?starred=true&has_attachments=true");
    await page.goBack();
    await waitForSubjects(page, ["Photos"]);
    await page.goBack();
    await waitForSubjects(page, ["Order shipped", "Photos", "Receipt"]);
  });

  test("a filtered list follows changes to its mails, made here and elsewhere", async () => {
    const { open, mailkeep } = bench();
    const change = async (subject: string, is_read: boolean) =>
      mailkeep.ask("PATCH", `/messages/${await mailkeep.idOf(subject)}`, { is_read });
    for (const subject of ["Order", "Photos", "Receipt"]) await change(subject, false);
    const page = await open("/?unread=true");
    await page.getByText("3 hits").waitFor();
    await change("Photos", true);
    await waitForSubjects(page, ["Order shipped", "Receipt"]);
    await change("Photos", false);
    await waitForSubjects(page, ["Order shipped", "Photos", "Receipt"]);
    await rowOf(page, "Photos").locator(".subject").click();
    await page.locator(".mail-row.is-opened:not(.is-unread)").waitFor();
    await change("Order", true);
    await waitForSubjects(page, ["Photos", "Receipt"]);
    await page.getByText("1 hit").waitFor();
    // The rows have moved up under the second click, which must not open another mail.
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    await change("Order", false);
    await waitForSubjects(page, ["Order shipped", "Photos", "Receipt"]);
    await page.getByRole("heading", { name: "Photos" }).waitFor();
  });

  test("every one of many tags can be reached as a filter", async () => {
    const { open, mailkeep } = bench();
    for (const [place, id] of (await mailkeep.ids()).entries()) {
      const tags = Array.from({ length: 20 }, (_, index) => `tag-${place}-${index}`);
      await mailkeep.ask("PATCH", `/messages/${id}`, { tags });
    }
    const page = await open();
    const rail = page.getByRole("group", { name: "Tags" });
    const scrollsSideways = await rail.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
    expect(scrollsSideways).toBe(false);
    await rail.getByRole("button", { name: "tag-2-9" }).click();
    await page.waitForURL(({ searchParams }) => searchParams.get("tag") === "tag-2-9");
  });

  test("suggests operators, senders and tags, and shows operators as chips that can be removed", async () => {
    const page = await bench().open();
    const box = page.getByLabel("Search mail");
    await box.focus();
    const suggestions = page.getByRole("listbox", { name: "Suggestions" });
    await suggestions.getByRole("option", { name: "from:" }).click();
    expect(await box.inputValue()).toBe("from:");
    await box.pressSequentially("sho");
    await suggestions.getByRole("option", { name: "shop@example.com" }).click();
    await page.getByRole("button", { name: "Remove from:shop@example.com" }).waitFor();
    await box.press("Escape");
    await suggestions.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Remove from:shop@example.com" }).click();
    await page.waitForURL(({ search }) => search === "");
    await box.fill("order -from:shop");
    await page.getByRole("button", { name: "Remove -from:shop" }).click();
    await waitForSubjects(page, ["Order shipped", "Receipt"]);
  });

  test("suggestions are reached and chosen with the keyboard", async () => {
    const page = await bench().open();
    const box = page.getByLabel("Search mail");
    await box.fill("fr");
    for (const key of ["ArrowUp", "ArrowDown", "ArrowDown"]) await box.press(key);
    const active = page.getByRole("option", { name: "from:", selected: true }).first();
    expect(await box.getAttribute("aria-activedescendant")).toBe(await active.getAttribute("id"));
    expect(await violationsIn(page)).toEqual([]);
    await box.press("Escape");
    expect(await page.getByRole("option", { selected: true }).count()).toBe(0);
    await box.press("ArrowDown");
    await box.press("Enter");
    expect(await box.inputValue()).toBe("from:");
    expect(await box.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  test("suggestions fit into a small page, also a long address", async () => {
    const { open, mailkeep } = bench();
    const long = `${"long".repeat(15)}@example.com`;
    await mailkeep.send({ subject: "Long", to: long });
    const page = await open("/", { viewport: { width: 360, height: 420 } });
    const box = page.getByLabel("Search mail");
    const list = page.getByRole("listbox", { name: "Suggestions" });
    await box.press("ArrowUp");
    const last = page.getByRole("option", { selected: true });
    const bottom = async (part: Locator) => {
      const { y = 0, height = 0 } = (await part.boundingBox()) ?? {};
      return y + height;
    };
    expect(await bottom(list)).toBeLessThanOrEqual(420);
    expect(await bottom(last)).toBeLessThanOrEqual(await bottom(list));
    await box.fill("to:long");
    await list.getByRole("option", { name: long }).waitFor();
    expect(await list.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    await mailkeep.ask("DELETE", `/messages/${await mailkeep.idOf("Long")}`);
  });

  test("a search without hits names an unknown operator and what to try", async () => {
    const page = await bench().open("/?q=form%3Ashop+is%3Astarred");
    await page.getByRole("heading", { name: "Nothing found" }).waitFor();
    await page.getByText("form: is not a search operator").waitFor();
    await page.locator(".notice code", { hasText: "has:" }).waitFor();
    await page.getByRole("button", { name: "Search without is:starred" }).click();
    await page.waitForURL(({ searchParams }) => searchParams.get("q") === "form:shop");
  });

  test("an open search without hits counts every mail of a flood, and later only mail that matches", async () => {
    const { open, mailkeep } = bench();
    const page = await open("/?q=number");
    await page.getByRole("heading", { name: "Nothing found" }).waitFor();
    await floodBySmtp(mailkeep.smtp, 150);
    await page.getByText("150 hits").waitFor();
    await mailkeep.send({ subject: "Something else" });
    await mailkeep.send({ subject: "Number 151" });
    await page.getByText("151 hits").waitFor();
    expect((await subjectsIn(page))[0]).toBe("Number 151");
  });
});
