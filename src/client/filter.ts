// The filters and options that a caller passes. A mistake in one of them throws: otherwise a filter
// would match too much, or an option would be ignored.
import { isBareAddress } from "../lib/text.ts";
import { parseDuration } from "../lib/time.ts";

/** `"all"`, a time (text or `Date`), a span of time before now (`"10m"`), or the id of a message. */
export type Since = string | Date;

export type Parameter = [name: string, value: string];

/** All given conditions must hold. */
export interface MailFilter {
  /** A full-text search: words, `"quoted phrases"` and operators such as `is:read`. */
  readonly q?: string;
  /** Part of the subject. Case is ignored. */
  readonly subject?: string;
  /** Part of the envelope sender's address. */
  readonly sender?: string;
  /** Part of an envelope recipient's address. */
  readonly recipient?: string;
  /** The envelope sender's whole address. */
  readonly from?: string;
  /** The whole address of one envelope recipient. */
  readonly to?: string;
  /** Part of the From header: a name or an address. */
  readonly headerFrom?: string;
  /** Part of the To header: a name or an address. */
  readonly headerTo?: string;
  /** A tag, or a list of tags: the mail has at least one of them. */
  readonly tag?: string | readonly string[];
  /** Flags take only `true`. For the opposite, use `q`: for example `is:read` for read mail. */
  readonly starred?: true;
  readonly unread?: true;
  readonly has_attachments?: true;
  /** By default mail that arrives after connect(). */
  readonly since?: Since;
}

type Name = keyof MailFilter;
type Value = string | boolean | Date | readonly string[];

const containing = (value: Value) => `containing ${JSON.stringify(value)}`;

function sinceInWords(since: string): string {
  if (since === "all") return "of any age";
  return parseDuration(since.trim()) === null ? `newer than ${since}` : `of the last ${since}`;
}

/** How a sentence names each condition, in the order of the sentence. */
const WORDS: Readonly<Record<Name, (value: Value) => string>> = {
  to: (value) => `to ${value}`,
  from: (value) => `from ${String(value) || "<>"}`,
  recipient: (value) => `with a recipient ${containing(value)}`,
  sender: (value) => `with a sender ${containing(value)}`,
  subject: (value) => `with a subject ${containing(value)}`,
  q: (value) => `with text matching ${JSON.stringify(value)}`,
  headerFrom: (value) => `with ${value} in the From header`,
  headerTo: (value) => `with ${value} in the To header`,
  tag: (value) => `tagged ${[value].flat().join(" or ")}`,
  starred: () => "that is starred",
  unread: () => "that is unread",
  has_attachments: () => "with attachments",
  since: (value) => sinceInWords(value instanceof Date ? value.toISOString() : String(value)),
};

/** The conditions that have another name in the API. */
const PARAMETERS: Readonly<Record<string, string>> = { headerFrom: "header_from", headerTo: "header_to" };

const isName = (name: string): name is Name => Object.hasOwn(WORDS, name);

/** A blank text would match every mail. An empty `from` is the address `<>` and allowed. */
const isBlank = (name: Name, value: Value) =>
  (name === "q" && String(value).trim() === "") ||
  (["subject", "sender", "recipient", "headerFrom", "headerTo"].includes(name) && value === "");

const isFlag = (name: Name) => name === "starred" || name === "unread" || name === "has_attachments";

/** Conditions on envelope addresses, which have no name and no angle brackets. Those on the header may have both. */
const ADDRESSES: readonly Name[] = ["to", "from", "recipient", "sender"];

/** Only `tag` may have several values: the API uses only the last value of other filters. */
function problemWithList(name: Name, list: readonly unknown[]): string | null {
  if (name !== "tag") return "is a list: only tag accepts several values";
  if (list.length === 0) return "is an empty list: name a tag or leave it out";
  return list.map((item) => problemWith(name, item as Value)).find((problem) => problem !== null) ?? null;
}

/** Why the API would not filter by this value, or null. */
function problemWith(name: Name, value: Value | undefined | null): string | null {
  if (value === undefined || value === null) return `is ${value}: give a value or leave it out`;
  if (value === false || (value === "false" && isFlag(name)))
    return "is false, which does not filter: give true or leave it out";
  if (Array.isArray(value)) return problemWithList(name, value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "is not a time: give a valid date" : null;
  if (typeof value === "object") return `is ${value instanceof RegExp ? value : "an object"}: give a string`;
  if (name === "to" && value === "")
    return "is empty, which matches no mail: give an address or leave it out";
  if (ADDRESSES.includes(name) && !isBareAddress(String(value)))
    return `is ${JSON.stringify(value)}, which matches no mail: give only the address, without name, spaces and angle brackets`;
  return isBlank(name, value) ? "is empty, which matches every mail: give a string or leave it out" : null;
}

/**
 * Only a plain object shows all its conditions: a Map or a class instance may hide some. Plain
 * objects of another realm, such as a `vm` context, are accepted.
 */
function isPlain(filter: object): boolean {
  const prototype = Object.getPrototypeOf(filter);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Throws for a misspelt, undefined or empty condition, which would match too much. */
export function conditions(filter: MailFilter): [Name, Value][] {
  if (filter === null || typeof filter !== "object" || !isPlain(filter)) {
    throw new TypeError('a filter is a plain object such as { to: "ann@example.com" }');
  }
  return Object.entries(filter).map(([name, value]: [string, Value]): [Name, Value] => {
    if (!isName(name)) {
      throw new TypeError(`unknown filter '${name}'; known: ${Object.keys(WORDS).join(", ")}`);
    }
    const problem = problemWith(name, value);
    if (problem !== null) throw new TypeError(`the filter's '${name}' ${problem}`);
    return [name, value];
  });
}

export function filterParameters(filter: MailFilter): Parameter[] {
  return conditions(filter).flatMap(([given, value]): Parameter[] => {
    const name = PARAMETERS[given] ?? given;
    if (value instanceof Date) return [[name, value.toISOString()]];
    if (typeof value === "object") return value.map((item): Parameter => [name, item]);
    return [[name, String(value)]];
  });
}

/** `to ann@example.com with a subject containing "Welcome"`; empty for no conditions. */
export function describeFilter(filter: MailFilter): string {
  const given = new Map(conditions(filter));
  return Object.entries(WORDS)
    .flatMap(([name, word]) => {
      const value = given.get(name as Name);
      return value === undefined ? [] : [word(value)];
    })
    .join(" ");
}

/** Returns the value that meets both; null if the API has no such value. */
function valueOfBoth(name: Name, outer: unknown, inner: unknown): unknown {
  if (name === "since" && outer === "all") return inner;
  if (name === "since" && inner === "all") return outer;
  const [text, other] = [outer, inner].map((value) => JSON.stringify(value));
  // Addresses are the same in upper and lower case.
  return text === other || (ADDRESSES.includes(name) && text?.toLowerCase() === other?.toLowerCase())
    ? outer
    : null;
}

/** Combines both filters. Throws if the API cannot, because one alone would match too much. */
export function narrow(scope: MailFilter, filter: MailFilter): MailFilter {
  const narrowed = new Map<string, unknown>(conditions(scope));
  for (const [name, inner] of conditions(filter)) {
    const outer = narrowed.get(name);
    const both = outer === undefined ? inner : valueOfBoth(name, outer, inner);
    if (both === null) {
      throw new TypeError(
        `this inbox is limited to '${name}' ${JSON.stringify(outer)}, so it cannot be filtered by '${name}' ${JSON.stringify(inner)}`,
      );
    }
    narrowed.set(name, both);
  }
  return Object.fromEntries(narrowed);
}

export function refuseUnknown(given: object, known: readonly string[]): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new TypeError(`unknown option '${unknown}'; known: ${known.join(", ")}`);
}

/**
 * Refuses a blank value, such as an undefined variable: without an inbox the caller would get all
 * mail, and a new inbox without a name a random one.
 */
export function refuseBlank(given: object, names: readonly string[]): void {
  for (const [name, value] of Object.entries(given))
    if (names.includes(name) && (value === undefined || value === null || value === ""))
      throw new TypeError(`${name} is ${value === "" ? "empty" : value}: give a name or leave it out`);
}

/** Without this check, a limit of 0 or -1 would silently give an empty list. */
export function refuseLimit(limit: number | null | undefined): void {
  if (limit === undefined || limit === null || (Number.isInteger(limit) && limit > 0)) return;
  throw new TypeError(`limit must be a whole number of at least 1, not '${limit}'`);
}

/** A caller in JavaScript may pass a number or a string instead of options. */
export function optionsOf<Options extends object>(
  given: Options,
  known: readonly (keyof Options & string)[],
): Options {
  if (given === null || typeof given !== "object") {
    throw new TypeError('options are an object such as { timeout: "10s" }');
  }
  refuseUnknown(given, known);
  return given;
}
