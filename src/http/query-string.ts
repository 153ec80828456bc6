// The query string, decoded once and strictly, but for the words of a search. Values are read by kind; an error names
// the parameter, what was given and what is accepted.
import { percentDecoded } from "../lib/percent-decoding.ts";
import { badRequest, quote } from "./problem.ts";

/** What a person types: no input is an error. */
const SEARCH = "q";
const INTEGER = /^[+-]?[0-9]+$/;

export class QueryString {
  readonly #values = new Map<string, string[]>();

  /** Takes a whole request URL. */
  constructor(url: string) {
    const start = url.indexOf("?");
    if (start === -1) return;
    const end = url.indexOf("#", start);
    for (const pair of url.slice(start + 1, end === -1 ? undefined : end).split("&")) {
      if (pair === "") continue;
      const equals = pair.indexOf("=");
      const name = decode(equals === -1 ? pair : pair.slice(0, equals));
      const encoded = equals === -1 ? "" : pair.slice(equals + 1);
      const value = name === SEARCH ? decodeLeniently(encoded) : decode(encoded);
      const values = this.#values.get(name);
      if (values) values.push(value);
      else this.#values.set(name, [value]);
    }
  }

  get names(): string[] {
    return [...this.#values.keys()];
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  all(name: string): string[] {
    return this.#values.get(name) ?? [];
  }

  /** Of a repeated parameter the last value wins, and only it is looked at. */
  text(name: string): string | undefined {
    return this.#values.get(name)?.at(-1);
  }

  /** An integer of any length, clamped to what a number holds exactly. */
  integer(name: string): number | undefined {
    const given = this.text(name);
    if (given === undefined) return undefined;
    if (!INTEGER.test(given)) throw invalid(name, given, "an integer such as 10");
    return clampedInteger(given);
  }

  boolean(name: string): boolean | undefined {
    const given = this.text(name);
    if (given === undefined) return undefined;
    if (given !== "true" && given !== "false") throw invalid(name, given, "true or false");
    return given === "true";
  }

  choice<Choice extends string>(name: string, choices: readonly Choice[]): Choice | undefined {
    const given = this.text(name);
    if (given === undefined) return undefined;
    const found = choices.find((choice) => choice === given);
    if (found === undefined) throw invalid(name, given, choices.join(" or "));
    return found;
  }
}

export function invalid(name: string, given: string, accepted: string) {
  return badRequest("invalid_parameter", `Parameter ${name} must be ${accepted}; given was ${quote(given)}.`);
}

function decode(text: string): string {
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  if (!spaced.includes("%")) return spaced;
  const decoded = percentDecoded(spaced);
  if (decoded !== null) return decoded;
  throw badRequest("malformed_url", `The query string has a malformed percent-encoding near ${quote(text)}.`);
}

/** A stray percent sign stays as it is, and bytes that are no UTF-8 become U+FFFD. */
const decodeLeniently = (text: string): string => new URLSearchParams(`=${text}`).get("") ?? "";

function clampedInteger(text: string): number {
  const negative = text.startsWith("-");
  const digits = text.replace(/^[+-]?0*/, "");
  // However long, the number is at worst infinite.
  const size = Math.min(Number(digits), Number.MAX_SAFE_INTEGER);
  return negative && size !== 0 ? -size : size;
}
