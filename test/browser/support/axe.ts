// What axe-core complains about on a page; only these rules, where they are given.
import axe from "axe-core";
import type { Page } from "playwright-core";

export async function violationsIn(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async (only) => {
    const { axe: engine } = window as unknown as { axe: typeof axe };
    const { violations } = await engine.run(
      // The mail in the frame is not ours to judge.
      { exclude: [["iframe"]] },
      { iframes: false, ...(only && { runOnly: [...only] }) },
    );
    return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id} at ${node.target.join(" ")}`));
  }, rules);
}
