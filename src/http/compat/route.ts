// Serves the interfaces of other catchers from tables of routes. They are not in our OpenAPI document, because Mailpit
// and MailHog describe them.
import { type Static, type TProperties, type TSchema, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Field } from "../../mime/index.ts";
import { Closed, type FaultRule, ReleaseRequest } from "../../model/index.ts";
import { foldWords, WORD } from "../../query/index.ts";
import type { MailView, Scope } from "../../store/index.ts";
import { checked } from "../body.ts";
import { assertMay, callerOf, type Need, scopeOf } from "../caller.ts";
import { text } from "../json.ts";
import type { Dependencies } from "../modules/dependencies.ts";
import { type AskedOf, integer, type Query, query, withDefault } from "../parameters.ts";
import { Problem } from "../problem.ts";

export interface Call<Asked = unknown> extends Dependencies {
  /** The mail that the caller may see. */
  readonly mail: MailView;
  readonly scope: Scope;
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  readonly asked: Asked;
  /** Checks the body and returns it. No body counts as an empty object. */
  sent<Schema extends TSchema>(schema: Schema): Static<Schema>;
}

type Does<Asked = unknown> = (call: Call<Asked>) => unknown;
type Route = Does | { readonly taken: Query; readonly does: Does<never> };
/** By method and path, such as `GET /api/v1/messages`. */
export type Routes = Readonly<Record<string, Route>>;

/** A route with query parameters. Unknown parameters are refused. */
export const asking = <Taken extends Query>(taken: Taken, does: Does<AskedOf<Taken>>): Route => ({
  taken,
  does,
});

/** An object in which every field may be absent. Other fields are refused. */
export const fields = <Known extends TProperties>(known: Known) =>
  Type.Partial(Closed(known), { additionalProperties: false });

/** A route that returns nothing has succeeded and is answered with `done`. */
export function routesBelow(prefix: string, options: Dependencies, table: Routes, done: string) {
  const app = new Elysia({ prefix });
  // Answers at the root, because some health checks request it.
  const root = () =>
    text("This port has only the API, below /api. Mailkeep's page is on --http-port.", "text/plain");
  for (const [name, route] of Object.entries<Route>({ "GET /": root, ...table })) {
    const [method = "", path = ""] = name.split(" ");
    const { taken, does } = typeof route === "function" ? { taken: query({}), does: route } : route;
    app.route(method, path, async ({ request, params, body: given }) => {
      assertMay(callerOf(request), needOf(method, path));
      const asked = taken.read(request.url) as never;
      const sent = (schema: TSchema) => checked(schema, asGoReads(schema, given)) as never;
      const own = { mail: options.mailOf(request), scope: scopeOf(request) };
      return (await does({ ...options, ...own, request, params, asked, sent })) ?? text(done, "text/plain");
    });
  }
  return app;
}

/** As in Go, a field may be null instead of absent, and its name may be in upper or lower case. Clients rely on it. */
function asGoReads(schema: TSchema, given: unknown): unknown {
  const names = new Map(namesIn(schema).map((name) => [name.toLowerCase(), name]));
  const renamed = ([name, value]: [string, unknown]) => [names.get(name.toLowerCase()) ?? name, value];
  return JSON.parse(JSON.stringify(given) ?? "{}", (_, value) => {
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? Object.fromEntries(Object.entries(value).map(renamed)) : (value ?? undefined);
  });
}

const namesIn = ({ properties = {}, items }: TSchema): string[] => [
  ...Object.entries<TSchema>(properties).flatMap(([name, field]) => [name, ...namesIn(field)]),
  ...(items ? namesIn(items) : []),
];

function needOf(method: string, path: string): Need {
  if (method === "GET") return "read";
  return /\/(?:chaos|jim)$/.test(path) ? "inbox" : "write";
}

export const notTranslated = (sentence: string) => new Problem(501, "not_translated", sentence);

/** The rules with these names: those of the caller's inbox, or those for all mail if the caller sees all mail. */
export function ownFaults({ faults, scope }: Call, names: readonly string[]) {
  const [inbox, ...others] = scope ?? [];
  if (others.length > 0)
    throw notTranslated("These credentials are for several inboxes: use /api/v1/inboxes/{inbox}/faults.");
  const own = faults.list(scope).filter((rule) => rule.inbox === inbox && names.includes(rule.name));
  return {
    rules: new Map(own.map((rule) => [rule.name, rule])),
    replace: (rules: readonly FaultRule[]) => faults.exchange(names, rules, inbox),
  };
}

/** A search term for the words as a phrase. The last word also matches as a prefix. Undefined without words. */
export const phraseOf = (words: string): string | undefined => foldWords(words).match(WORD)?.join("_");

export function valuesOf(fields: readonly Field[], nameOf: (field: Field) => string) {
  const asSent = ({ value }: Field) => Buffer.from(value, "latin1").toString();
  const named = [...Map.groupBy(fields, nameOf)];
  return Object.fromEntries(named.map(([name, same]) => [name, same.map(asSent)]));
}

export const pages = (least: number, most: number) => ({
  start: withDefault(0, integer("", { from: 0 })),
  limit: withDefault(50, integer("", { from: least, to: most })),
});

export async function sendOn({ release, keepOpen, request }: Call, id: string, target: unknown) {
  keepOpen(request);
  await release.send(id, checked(ReleaseRequest, target));
}
