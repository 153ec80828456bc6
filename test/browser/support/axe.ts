// The violations that axe-core finds. What is behind a dialog or around a message is left out,
// because it is tested as a view of its own.
import type axe from "axe-core";
import type { Page } from "playwright-core";

/** The minified file, because every page that is checked compiles it. */
const AXE = await Bun.file(new URL(import.meta.resolve("axe-core/axe.min.js"))).text();

/** The only rules whose result depends on light or dark. */
export const COLOURS = ["color-contrast"];

export async function violationsIn(page: Page, rules?: string[]): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  return page.evaluate(async (runOnly) => {
    const isDialog = document.querySelector("dialog[open], [role=dialog]") !== null;
    const isMessage = location.pathname.includes("/messages/");
    const background = isDialog
      ? [".top-bar", ".panes"]
      : isMessage
        ? [".top-bar", ".rail", ".list-pane"]
        : [];
    const { axe: engine } = window as unknown as { axe: typeof axe };
    const { violations } = await engine.run(
      // The HTML in the frame is the mail's own, not Mailkeep's.
      { exclude: ["iframe", ...background] },
      {
        iframes: false,
        resultTypes: ["violations"],
        ...(runOnly && { runOnly }),
      },
    );
    return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id} at ${node.target.join(" ")}`));
  }, rules);
}
