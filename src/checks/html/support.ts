// What the HTML and CSS of a mail look like in mail clients, by the data of caniemail.com.
import { counted } from "../../lib/text.ts";
import type { Check, CheckFinding } from "../../model/index.ts";
import { concluded, off } from "../finding.ts";
import type { CheckedMail } from "../mail.ts";
import { CLIENTS, clientsNamed, namesOf } from "./clients.ts";
import { type Use, usesOf } from "./features.ts";
import { type Page, readPage } from "./page.ts";
import data from "./support-data.json" with { type: "json" };

const FEATURES = new Map(
  Object.entries(data.features).map(([slug, [title = "", support = ""]]) => [slug, { title, support }]),
);

/** A mail still looks right without them. */
const ENHANCEMENTS =
  /^(?:html-(?:body|aria-.*|role|lang|comments|loading-attribute|srcset|meta-color-scheme|target)|css-(?:pseudo-class-.*|at-media-prefers-.*|at-media-hover|comments|color-scheme|cursor|transition|animation|at-keyframes|important|user-select|text-(?:shadow|decoration-.*|underline-.*)|box-shadow|border-radius|outline.*))$/;

export function checkHtml({
  mail,
  clients: words,
}: {
  mail: CheckedMail;
  clients: readonly string[];
}): Check {
  if (mail.html === "") return off("html", "The mail has no HTML.");
  const clients = clientsNamed(words);
  const page = readPage(mail.html);
  const findings: CheckFinding[] = [];
  let [points, most] = [0, 0];
  for (const [slug, use] of usesOf(page, (slug) => FEATURES.has(slug))) {
    const { title, support } = FEATURES.get(slug) as { title: string; support: string };
    const by = (letter: string) => clients.filter((client) => support[CLIENTS.indexOf(client)] === letter);
    const [without, partly, full] = [by("n"), by("a"), by("y")];
    points += full.length + partly.length / 2;
    most += full.length + partly.length + without.length;
    if (without.length + partly.length > 0)
      findings.push(findingOf(slug, title, use, page, { without, partly, of: clients.length }));
  }
  const order = { error: 0, warning: 1, info: 2 };
  findings.sort((left, right) => order[left.severity] - order[right.severity]);
  return concluded("html", findings, {
    said: `Support in ${counted(clients.length, "client")} by the data of caniemail.com of ${data.date}`,
    score: most === 0 ? 100 : Math.round((100 * points) / most),
  });
}

function findingOf(
  slug: string,
  title: string,
  use: Use,
  page: Page,
  { without, partly, of }: Readonly<{ without: readonly string[]; partly: readonly string[]; of: number }>,
): CheckFinding {
  const isHarmless = ENHANCEMENTS.test(slug) || without.length === 0;
  const severity = isHarmless ? "info" : without.length * 2 >= of ? "error" : "warning";
  const told = [
    without.length > 0 &&
      `not supported by ${without.length} of ${counted(of, "client")} (${namesOf(without).join(", ")})`,
    partly.length > 0 && `supported in part by ${partly.length} (${namesOf(partly).join(", ")})`,
  ].filter((part) => part !== false);
  const times = use.count > 1 ? `, used ${use.count} times,` : "";
  return {
    rule: slug,
    severity,
    message: `${title}${times} is ${told.join(", ")}.`,
    help: `What works instead: https://www.caniemail.com/features/${slug}/`,
    where: page.place(use.offset),
    clients: namesOf(without),
  };
}
