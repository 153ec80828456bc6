// The description of a route: its address, the role that it needs, its input and its answers. It checks query and body,
// gives the handler its types, and becomes part of the OpenAPI document.
import { type Static, type TOptional, type TSchema, type TUnknown, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { Closed } from "../../model/index.ts";
import { checked } from "../body.ts";
import { assertMay, callerOf, type Need } from "../caller.ts";
import { type AskedOf, type Query, query } from "../parameters.ts";
import type { ResponseSpec } from "./responses.ts";

export const TAGS = [
  { name: "Messages", description: "List, read, change and delete captured mail." },
  { name: "Content", description: "Raw source, bodies, attachments, headers and exports." },
  { name: "Testing", description: "Assert on, wait for and extract from mail in automated tests." },
  { name: "Release", description: "Send a captured mail on to a real server." },
  { name: "Faults", description: "Refuse, delay and drop on purpose; see what was said and refused." },
  {
    name: "Inboxes",
    description: "Separate mail of several projects and test runs, and the routes for one inbox.",
  },
  { name: "Events", description: "Inbox events in real time." },
  { name: "Access", description: "Who may do what: the caller, and tokens for programs." },
  { name: "Service", description: "Version, health, metrics and this description." },
] as const;

export interface OperationSpec {
  readonly summary: string;
  readonly description?: string;
  readonly query?: Query;
  /** A body that may be absent is `Type.Optional`. */
  readonly body?: TSchema;
  /** Empty if the route needs no credentials. */
  readonly security?: readonly [];
  /** The document adds common responses, such as 404 for a path with the id of a message. */
  readonly responses: Readonly<Record<number, ResponseSpec>>;
}

export interface Operation {
  readonly operationId: string;
  readonly needs: Need;
  readonly spec: OperationSpec;
  readonly tag: (typeof TAGS)[number]["name"];
}

type PathParameter<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathParameter<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : Path extends `${string}*`
      ? "*"
      : never;

interface Context<Address extends string, Taken extends Query, Body> {
  readonly request: Request;
  readonly params: Readonly<Record<PathParameter<Address>, string>>;
  readonly query: AskedOf<Taken>;
  readonly body: Body;
  readonly set: { status?: number | string; readonly headers: Record<string, string | number> };
}

type GivenBody<Body extends TSchema> = Body extends TOptional<Body> ? Static<Body> | undefined : Static<Body>;

interface RouteSpec<Address extends string, Taken extends Query, Body extends TSchema> extends OperationSpec {
  readonly query?: Taken;
  readonly body?: Body;
  readonly answer: (context: Context<Address, Taken, GivenBody<Body>>) => unknown;
}

/** For routes without query parameters: refuses every query parameter. */
const NOTHING = query({});
/** Refuses all fields in the body: a DELETE whose body names one rule must not delete all rules. */
const NO_FIELDS = Type.Optional(Closed({}));
const OPERATION = Symbol("operation");

/**
 * Returns a function that adds the route to an application. The address is method and path, such as
 * `GET /api/v1/messages/:id`. The status is the first described success, unless the handler sets another.
 */
export function route<
  const Address extends string,
  Taken extends Query = Query<Record<never, never>>,
  Body extends TSchema = TUnknown,
>(operationId: string, address: Address, needs: Need, { answer, ...spec }: RouteSpec<Address, Taken, Body>) {
  const { query = NOTHING, body: schema = NO_FIELDS } = spec;
  const [method = "", path = ""] = address.split(" ");
  const success = Number(Object.keys(spec.responses).find((status) => status.startsWith("2")) ?? 200);
  const transform = (context: Pick<Context<string, Query, unknown>, "request" | "body" | "set">) => {
    assertMay(callerOf(context.request), needs);
    context.set.status = success;
    Object.assign(context, { query: query.read(context.request.url) });
    Object.assign(context, { body: checked(schema, context.body) });
  };
  return (app: Elysia, tag: Operation["tag"]) => {
    // Elysia keeps `detail` unchanged in the hooks of the route, where `operationOf` finds it.
    const detail = { [OPERATION]: { operationId, needs, spec, tag } };
    return app.route(method, path, answer as never, { transform, detail } as never);
  };
}

export function routes(tag: Operation["tag"], ...all: readonly ReturnType<typeof route>[]) {
  const app = new Elysia();
  for (const addTo of all) addTo(app, tag);
  return app;
}

export function operationOf(hooks: unknown): Operation | undefined {
  const detail = (hooks as { detail?: { [OPERATION]?: Operation } } | undefined)?.detail;
  return detail?.[OPERATION];
}
