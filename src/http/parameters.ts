// Query parameters. Each is one TypeBox schema: it reads the value, gives the handler's `query` its type, and appears
// in the OpenAPI document.
import {
  type SchemaOptions,
  type Static,
  type TObject,
  type TOptional,
  type TUnsafe,
  Type,
} from "@sinclair/typebox";
import { percentDecoded } from "../lib/text.ts";
import { parseDuration } from "../lib/time.ts";
import { MAX_WAIT_MS } from "../model/index.ts";
import { badRequest, knownNames, quote } from "./problem.ts";

const READ = Symbol("read");
const INTEGER = /^[+-]?[0-9]+$/;

/** The values of each name, in order and still encoded. */
type Given = ReadonlyMap<string, readonly string[]>;
type Read<Value> = (encoded: readonly string[], name: string) => Value;
type Parameter<Value> = TUnsafe<Value> & { readonly [READ]: Read<Value> };
type Parameters = Readonly<Record<string, Parameter<unknown>>>;

const parameter = <Value>(schema: SchemaOptions, read: Read<Value>): TOptional<Parameter<Value>> =>
  Type.Optional(Object.assign(Type.Unsafe<Value>(schema), { [READ]: read }));

export const withDefault = <Value>(value: Value, schema: TOptional<Parameter<Value>>): Parameter<Value> => ({
  ...Type.Optional(schema, false),
  default: value,
});

/** If a parameter is repeated, only the last value counts. */
export const single = <Value>(
  schema: SchemaOptions,
  accepted: string,
  parse: (given: string) => Value | null,
): TOptional<Parameter<Value>> =>
  parameter(schema, (encoded, name) => {
    const given = decode(encoded.at(-1) ?? "");
    const value = parse(given);
    if (value === null) throw invalid(name, given, accepted);
    return value;
  });

export const text = (description: string, options: SchemaOptions = {}) =>
  single({ type: "string", ...options, description }, "a text", (given) => given);

/** A search as a person types it: every text is valid. */
export const search = (description: string, options: SchemaOptions) =>
  parameter({ type: "string", ...options, description }, (encoded) => decodeLeniently(encoded.at(-1) ?? ""));

export const texts = (description: string, maxItems: number) =>
  parameter({ type: "array", items: Type.String(), maxItems, description }, (encoded, name) => {
    if (encoded.length > maxItems) {
      const sentence = `Parameter ${name} may be given at most ${maxItems} times, not ${encoded.length}.`;
      throw badRequest("too_many_tags", sentence);
    }
    return encoded.map(decode);
  });

export const boolean = (description: string) =>
  single({ type: "boolean", description }, "true or false", (given) =>
    given === "true" || given === "false" ? given === "true" : null,
  );

export const choice = <const Word extends string>(words: readonly Word[], description: string) =>
  single(
    { type: "string", ...(words.length === 1 ? { const: words[0] } : { enum: words }), description },
    words.join(", ").replace(/, (?=[^,]*$)/, " or "),
    (given) => words.find((word) => word === given) ?? null,
  );

/** An integer outside the range is replaced by the nearest bound. */
export const integer = (
  description: string,
  { from = -Infinity, to = Infinity, ...options }: SchemaOptions & { from?: number; to?: number } = {},
) =>
  single({ type: "integer", ...options, description }, "an integer such as 10", (given) =>
    INTEGER.test(given) ? Math.min(to, Math.max(from, exactInteger(given))) : null,
  );

export const count = (description: string) =>
  single(
    { type: "integer", minimum: 0, format: "int64", description },
    "an integer of at least 0",
    (given) => (INTEGER.test(given) && exactInteger(given) >= 0 ? exactInteger(given) : null),
  );

/** A span of time with its unit. The handler gets milliseconds. */
export const span = (description: string) =>
  single(
    { type: "string", examples: ["500ms", "10s", "2m"], description },
    "a span of time such as 500ms, 10s or 2m, at most 5m",
    (given) => {
      const ms = parseDuration(given);
      return ms === null || ms > MAX_WAIT_MS ? null : ms;
    },
  );

/** Elysia's own checks do not fit: they split values at commas, and drop parameters that are not known. */
export interface Query<Known extends Parameters = Parameters> {
  readonly parameters: Known;
  /** Throws a Problem that names what is wrong. */
  readonly read: (url: string) => Static<TObject<Known>>;
}

/** The parameters that a handler gets. */
export type AskedOf<Taken extends Query> = ReturnType<Taken["read"]>;

/** `refuse` gets the given names before any value is read. */
export const query = <Known extends Parameters>(
  parameters: Known,
  refuse: (given: readonly string[]) => void = () => {},
): Query<Known> => ({
  parameters,
  read: (url) => {
    const given = givenIn(url);
    const names = [...given.keys()];
    refuse(names);
    refuseOthers(names, Object.keys(parameters));
    const values: Record<string, unknown> = {};
    for (const [name, schema] of Object.entries(parameters)) {
      const encoded = given.get(name);
      if (encoded !== undefined) values[name] = schema[READ](encoded, name);
      else if (schema.default !== undefined) values[name] = schema.default;
    }
    return values as Static<TObject<Known>>;
  },
});

export function invalid(name: string, given: string, accepted: string) {
  return badRequest("invalid_parameter", `Parameter ${name} must be ${accepted}, not ${quote(given)}.`);
}

function refuseOthers(given: readonly string[], known: readonly string[]): void {
  const unknown = given.find((name) => !known.includes(name));
  if (unknown !== undefined) throw unknownParameter(unknown, known);
}

/** Refuses unknown parameters at an address outside of the API, such as a page or MCP. */
export const takeOnly = (request: Request, known: readonly string[] = []): void =>
  refuseOthers([...givenIn(request.url).keys()], known);

export function unknownParameter(name: string, known: readonly string[]) {
  const sentence = `There is no parameter ${quote(name)} here; ${knownNames(name, known)}`;
  return badRequest("unknown_parameter", sentence);
}

/** The parameters of a URL by their names, the values still encoded. */
export function givenIn(url: string): Given {
  const given = new Map<string, string[]>();
  const start = url.indexOf("?");
  if (start === -1) return given;
  const end = url.indexOf("#", start);
  for (const pair of url.slice(start + 1, end === -1 ? undefined : end).split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    const values = given.get(name) ?? [];
    values.push(equals === -1 ? "" : pair.slice(equals + 1));
    given.set(name, values);
  }
  return given;
}

function decode(encoded: string): string {
  const spaced = encoded.replaceAll("+", " ");
  const decoded = percentDecoded(spaced);
  if (decoded !== null) return decoded;
  const place = quote(encoded);
  throw badRequest("malformed_url", `The query string has a malformed percent-encoding near ${place}.`);
}

/** A stray percent sign stays as it is, and bytes that are not UTF-8 become U+FFFD. */
const decodeLeniently = (encoded: string): string => new URLSearchParams(`=${encoded}`).get("") ?? "";

/** Numbers beyond the safe integers become the nearest safe integer, and minus zero becomes zero. */
const exactInteger = (digits: string): number =>
  Math.min(Number.MAX_SAFE_INTEGER, Math.max(Number.MIN_SAFE_INTEGER, Number(digits))) || 0;
