// What is typed to find mail in Mailpit, as a filter of ours. Mailpit looks for parts of texts: so do our filters for
// subject, From and To; everything else is looked for by the beginnings of words.
import { parseSize } from "../../../lib/size.ts";
import type { MessageFilter } from "../../../model/index.ts";
import type { MailView } from "../../../store/index.ts";
import { badRequest, quote } from "../../problem.ts";
import { notTranslated, phraseOf } from "../route.ts";

type Filter = { -readonly [Name in keyof MessageFilter]: MessageFilter[Name] };

interface Search {
  readonly filter: Filter;
  /** Terms of our own search. */
  readonly terms: string[];
  readonly mail: MailView;
  readonly zone: string;
}

/** Where a part of the text can be looked for, once. */
const PARTS = { from: "header_from", to: "header_to", subject: "subject" } as const;
const IN_FIELD = new Set(["from", "to", "cc", "bcc", "reply-to", "subject", "message-id"]);
const PEOPLE = ["from", "to", "cc", "bcc", "reply-to"];
const AS_IT_IS = /^(?:is:(?:un)?read|is:tagged|has:attachments?)$/i;
const ARGUMENT = /(?:[^\s"]|"[^"]*"?)+/g;

/** Mailpit compares tags without regard to case. */
export async function tagsLike(mail: MailView, wanted: string): Promise<string[]> {
  const tags = (await mail.tags()).map(({ tag }) => tag);
  return tags.filter((tag) => tag.toLowerCase() === wanted.toLowerCase());
}

export async function filterOf(mail: MailView, typed: string, zone: string): Promise<MessageFilter> {
  const search: Search = { filter: {}, terms: [], mail, zone };
  for (const argument of typed.match(ARGUMENT) ?? []) {
    const given = argument.replaceAll('"', "");
    const isNegated = /^[-!]./.test(given);
    await take(search, isNegated ? given.slice(1) : given, isNegated);
  }
  const { filter, terms } = search;
  return { ...filter, ...(terms.length > 0 && { q: terms.join(" ") }) };
}

async function take({ filter, terms, mail, zone }: Search, given: string, isNegated: boolean): Promise<void> {
  const [, operator = "", value = ""] = /^([a-z-]+):(.*)$/is.exec(given) ?? [];
  const name = operator.toLowerCase();
  const part = name in PARTS ? PARTS[name as keyof typeof PARTS] : undefined;
  const add = (term: string) => terms.push(isNegated ? `-${term}` : term);
  if (AS_IT_IS.test(given)) add(given);
  else if (/^has:inlines?$/i.test(given))
    throw notTranslated("Mailkeep cannot search for inline images alone; has:attachment finds them, too.");
  else if (name === "tag") {
    const tags = [value, ...(await tagsLike(mail, value))];
    add(`(${tags.map((tag) => `tag:"${tag}"`).join(" OR ")})`);
  } else if (name === "before" || name === "after") add(`${name}:${instantOf(value, zone)}`);
  else if ((name === "larger" || name === "smaller") && bytesOf(value) > 0) add(`${name}:${bytesOf(value)}`);
  else if (part !== undefined && !isNegated && value !== "" && filter[part] === undefined)
    filter[part] = value;
  else addWords(IN_FIELD.has(name) || name === "addressed" ? value : given, name, add);
}

function addWords(text: string, name: string, add: (term: string) => void): void {
  const phrase = phraseOf(text);
  if (phrase === undefined) return;
  if (name === "addressed") add(`(${PEOPLE.map((field) => `${field}:${phrase}`).join(" OR ")})`);
  else add(IN_FIELD.has(name) ? `${name}:${phrase}` : phrase);
}

/** Mailpit's "kb" has 1024 bytes. */
const bytesOf = (size: string): number => parseSize(size.replace(/b$/i, "")) ?? 0;

function instantOf(value: string, zone: string): string {
  const isExact = /\d:\d.*(?:z|[+-]\d{2}:?\d{2})$/i.test(value);
  const utc = Date.parse(isExact ? value : `${value.replace(/(\d)T(\d)/i, "$1 $2")} UTC`);
  if (Number.isNaN(utc)) throw badRequest("invalid_parameter", `${quote(value)} is not a date or time.`);
  return new Date(isExact || zone === "" ? utc : utc - offsetOf(zone, utc)).toISOString();
}

function offsetOf(zone: string, utc: number): number {
  try {
    // Swedish dates are almost those of ISO 8601.
    const there = new Date(utc).toLocaleString("sv-SE", { timeZone: zone });
    return Date.parse(`${there.replace(" ", "T")}Z`) - utc;
  } catch {
    throw badRequest("invalid_parameter", `There is no time zone ${quote(zone)}.`);
  }
}
