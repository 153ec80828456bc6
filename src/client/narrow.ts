// Narrowing a filter by another: both must hold. Where the API cannot say both at once it throws, for
// either of them alone would mean more mails than were asked for.
import { conditions, type MailFilter } from "./filter.ts";

type Pair<Value> = readonly [outer: Value, inner: Value];

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** The condition that implies the other, or null when neither does. */
function stricter(name: string, outer: unknown, inner: unknown): unknown {
  if (outer === inner) return outer;
  if (name === "tag") return fewerTags([[outer].flat(), [inner].flat()]);
  if (name === "since") return later([outer as string | Date, inner as string | Date]);
  // Neither parts nor addresses depend on case.
  const [outerText, innerText] = [String(outer).toLowerCase(), String(inner).toLowerCase()];
  if (name === "from" || name === "to") return outerText === innerText ? outer : null;
  if (name !== "subject" && name !== "sender" && name !== "recipient") return null;
  if (innerText.includes(outerText)) return inner;
  return outerText.includes(innerText) ? outer : null;
}

/** Tags are alternatives: the fewer the stricter, when all of them are among the others. */
function fewerTags([outer, inner]: Pair<unknown[]>): unknown {
  if (inner.every((tag) => outer.includes(tag))) return inner;
  return outer.every((tag) => inner.includes(tag)) ? outer : null;
}

/** A time without a zone is UTC, as the server has it. */
const timeOf = (value: string | Date) =>
  new Date(typeof value === "string" && /T[\d:.]+$/i.test(value) ? `${value}Z` : value).getTime();

/** Two ids or two times can be compared; one of each cannot. */
function later([outer, inner]: Pair<string | Date>): unknown {
  const isId = (value: string | Date) => typeof value === "string" && ULID.test(value);
  if (isId(outer) !== isId(inner)) return null;
  if (isId(outer)) return outer > inner ? outer : inner;
  const [outerTime, innerTime] = [timeOf(outer), timeOf(inner)];
  if (Number.isNaN(outerTime) || Number.isNaN(innerTime)) return null;
  return outerTime > innerTime ? outer : inner;
}

export function narrow(scope: MailFilter, filter: MailFilter): MailFilter {
  const narrowed = new Map<string, unknown>(conditions(scope));
  for (const [name, inner] of conditions(filter)) {
    const outer = narrowed.get(name);
    const both = outer === undefined ? inner : stricter(name, outer, inner);
    if (both === null) {
      throw new TypeError(
        `this inbox is narrowed to ${name} ${JSON.stringify(outer)}: it cannot be asked for ${name} ${JSON.stringify(inner)}`,
      );
    }
    narrowed.set(name, both);
  }
  return Object.fromEntries(narrowed);
}
