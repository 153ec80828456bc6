// Translates a Mailpit search into our filter. Mailpit searches parts of texts. Our filters for subject, From and To do
// that, too, once each; everything else finds the beginnings of words.
import { parseSize } from "../../../lib/size.ts";
import type { MessageFilter } from "../../../model/index.ts";
import { badRequest, quote } from "../../problem.ts";
import { notTranslated, phraseOf } from "../route.ts";

const PARTS = { from: "header_from", to: "header_to", subject: "subject" } as const;
const PEOPLE = ["from", "to", "cc", "bcc", "reply-to"];
const IN_FIELD = new Set([...PEOPLE, "subject", "message-id"]);
const AS_IT_IS = /^(?:is:(?:un)?read|is:tagged|has:attachments?)$/i;
const ARGUMENT = /(?:[^\s"]|"[^"]*"?)+/g;

export function filterOf(typed: string): MessageFilter {
  const filter: Partial<Record<"header_from" | "header_to" | "subject" | "q", string>> = {};
  for (const argument of typed.match(ARGUMENT) ?? []) {
    const [, minus = "", given = ""] = /^([-!]?)(.+)$/s.exec(argument.replaceAll('"', "")) ?? [];
    const [, name = "", value = ""] = /^(from|to|subject):(.+)$/is.exec(given) ?? [];
    const part = PARTS[name.toLowerCase() as keyof typeof PARTS];
    const term = termOf(given);
    if (part && minus === "" && filter[part] === undefined) filter[part] = value;
    else if (term !== undefined) filter.q = `${filter.q ?? ""} ${minus && "-"}${term}`.trimStart();
  }
  return filter;
}

/** Undefined when there are no words in it. */
function termOf(given: string): string | undefined {
  const [, operator = "", value = ""] = /^([a-z-]+):(.*)$/is.exec(given) ?? [];
  const name = operator.toLowerCase();
  if (AS_IT_IS.test(given)) return given;
  if (/^has:inlines?$/i.test(given))
    throw notTranslated("Mailkeep cannot search for inline images alone; has:attachment finds them, too.");
  if (name === "tag") return `tag:"${value}"`;
  if (name === "before" || name === "after") return `${name}:${instantOf(value)}`;
  if ((name === "larger" || name === "smaller") && bytesOf(value) > 0) return `${name}:${bytesOf(value)}`;
  const isField = IN_FIELD.has(name);
  const phrase = phraseOf(isField || name === "addressed" ? value : given);
  if (phrase === undefined) return undefined;
  if (name === "addressed") return `(${PEOPLE.map((field) => `${field}:${phrase}`).join(" OR ")})`;
  return isField ? `${name}:${phrase}` : phrase;
}

/** Mailpit's "kb" has 1024 bytes. */
const bytesOf = (size: string): number => parseSize(size.replace(/b$/i, "")) ?? 0;

/** UTC where no time zone is written. */
function instantOf(value: string): string {
  const hasZone = /\d:\d.*(?:z|[+-]\d{2}:?\d{2})$/i.test(value);
  const time = Date.parse(hasZone ? value : `${value.replace(/(\d)T(\d)/i, "$1 $2")} UTC`);
  if (Number.isNaN(time)) throw badRequest("invalid_parameter", `${quote(value)} is not a date or time.`);
  return new Date(time).toISOString();
}
