// Our checks in the form of Mailpit's.
import { STATUS_CODES } from "node:http";
import { clientNames } from "../../../checks/index.ts";
import type { Check, CheckFinding, CheckName } from "../../../model/index.ts";
import { badRequest, known } from "../../problem.ts";
import type { Call } from "../route.ts";

/** Mailpit asks about all of them. */
const CLIENTS = ["all"];

async function checkOf({ checks, keepOpen, request }: Call, id: string, name: CheckName): Promise<Check> {
  keepOpen(request);
  const options = { clients: CLIENTS, fetchesLinks: false, dns: null };
  const { checks: made } = await known(id, checks.report(id, [name], options));
  return made[0] as Check;
}

/** "Gmail (Android)" is one of the family Gmail. */
function clientOf(name: string) {
  const [, family = name, platform = ""] = /^(.*) \((.*)\)$/.exec(name) ?? [];
  return { Name: name, Family: family, Platform: platform.toLowerCase().replaceAll(" ", "-"), Version: "" };
}

/** Partial support counts as support. */
const scoreOf = (Unsupported: number) => ({ Supported: 100 - Unsupported, Partial: 0, Unsupported });

export async function htmlCheck(call: Call, id: string) {
  const { findings, score } = await checkOf(call, id, "html");
  const { html_body } = await known(id, call.reader.bodies(id));
  if (html_body === "") throw badRequest("no_html", "This message has no HTML.");
  const clients = clientNames(CLIENTS).map(clientOf);
  const platforms = [...Map.groupBy(clients, ({ Platform }) => Platform)];
  return {
    Warnings: findings.map((finding) => warningOf(finding, clients.length)),
    Platforms: Object.fromEntries(platforms.map(([name, on]) => [name, on.map(({ Family }) => Family)])),
    // We do not count nodes.
    Total: { Tests: findings.length, Nodes: 0, ...scoreOf(100 - (score ?? 0)) },
  };
}

const warningOf = ({ rule, message, help, clients = [] }: CheckFinding, all: number) => ({
  Slug: rule,
  Title: message,
  Description: help,
  URL: `https://www.caniemail.com/features/${rule}/`,
  Category: rule.startsWith("css-") ? "css" : "html",
  Tags: [],
  Keywords: "",
  Results: clients.map((name) => ({ ...clientOf(name), Support: "no", NoteNumber: "" })),
  NotesByNumber: {},
  Score: { Found: 1, ...scoreOf((100 * clients.length) / all) },
});

export async function linkCheck({ checks, keepOpen, request }: Call, id: string) {
  keepOpen(request);
  const links = await known(id, checks.linkAnswers(id));
  const Links = links.map(({ url: URL, answer }) => {
    if (answer?.outcome !== "answered") return { URL, StatusCode: 0, Status: answer?.reason ?? "" };
    return { URL, StatusCode: answer.status, Status: STATUS_CODES[answer.status] ?? "" };
  });
  return { Errors: Links.filter(({ StatusCode: code }) => code < 200 || code >= 400).length, Links };
}

export async function spamCheck(call: Call, id: string) {
  const { status, score, summary, findings } = await checkOf(call, id, "spam");
  const failed = findings.find(({ rule }) => rule === "check-failed" || rule === "no-answer");
  const rules = findings.filter(({ points }) => points !== undefined);
  return {
    Error: status === "off" ? summary : (failed?.message ?? ""),
    IsSpam: findings.some(({ rule }) => rule === "spam"),
    Score: score ?? 0,
    Rules: rules.map(({ rule, message, points }) => ({ Name: rule, Score: points, Description: message })),
  };
}
