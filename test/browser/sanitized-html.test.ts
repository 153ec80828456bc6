// Sanitized HTML without the sandbox and the policy that protect it in Mailkeep: a browser that may run scripts finds
// none and contacts no server.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { sanitizeHtml } from "../../src/mime/html/sanitize.ts";
import { inBrowser } from "./support/browser.ts";

/** Each line is one attack, as a JSON string. `xss()` and evil.test must never be reached. */
const attacks: string[] = readFileSync(new URL("../fixtures/html/hostile.txt", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

const PAGE = "http://mailkeep.test/";
const inlineUrl = (cid: string) => `${PAGE}inline/${encodeURIComponent(cid)}`;

/** Buttons styled by an attribute, by a class, by their element name, and not at all. */
const BUTTONS = `<!doctype html><head><style>.big{display:block;width:200px;padding:20px}td button{border:0;background:#0a0}</style>
</head><body><p>a</p><a href="https://x.test/"><button style="padding:15px 30px;border-radius:4px">Go</button></a><p>b</p>
<button class=big>Big</button><table><tr><td><button>Green</button></table><button>Plain</button><p>c</p>`;

inBrowser("sanitized HTML", (bench) => {
  test("runs no attack and contacts no server", async () => {
    const page = await bench().newPage();
    const asked: string[] = [];
    const documents = attacks.map((attack) => sanitizeHtml(attack, { inlineUrl, remote: false }).html);
    await page.route("**/*", (route) => {
      const url = route.request().url();
      const index = /\/doc\/(\d+)$/.exec(url)?.[1];
      if (index) return route.fulfill({ contentType: "text/html", body: documents[Number(index)] ?? "" });
      if (url === PAGE) return route.fulfill({ contentType: "text/html", body: "<!doctype html>" });
      if (!url.startsWith(`${PAGE}inline/`)) asked.push(url);
      return route.abort();
    });
    const ran: string[] = [];
    await page.exposeFunction("report", (what: string) => ran.push(what));
    await page.addInitScript(() => {
      Object.assign(window, { xss: () => Reflect.get(window, "report")(location.href) });
    });
    await page.goto(PAGE);
    await page.evaluate(async (count) => {
      const shown = Array.from({ length: count }, (_, index) => {
        const frame = document.createElement("iframe");
        frame.src = `/doc/${index}`;
        document.body.append(frame);
        return new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
      });
      await Promise.all(shown);
    }, attacks.length);
    const scriptLinks = page
      .frames()
      .map((frame) => frame.locator('a[href^="javascript:" i], area[href^="javascript:" i]').count());
    expect((await Promise.all(scriptLinks)).filter((links) => links > 0)).toEqual([]);
    expect({ ran, asked }).toEqual({ ran: [], asked: [] });
  });

  test("leaves a button the room that it takes in a browser", async () => {
    const page = await bench().newPage();
    const boxes = async (html: string) => {
      await page.setContent(html);
      return page.evaluate(() =>
        Array.from(document.querySelectorAll("body *"), (element) => {
          const { x, y, width, height } = element.getBoundingClientRect();
          return [x, y, width, height].map(Math.round).join(" ");
        }),
      );
    };
    const { html } = sanitizeHtml(BUTTONS, { inlineUrl, remote: false });
    expect(await boxes(html)).toEqual(await boxes(BUTTONS));
  });
});
