// The description of a route: its address, the role that it needs, its input and its answers. Query and body are checked
// by it, the handler gets its types from it, and the OpenAPI document is made from it.
import type { Static, TSchema } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { checked, checkedIfGiven } from "../body.ts";
import { assertMay, callerOf, type Need } from "../caller.ts";
import { type AskedOf, type Query, query } from "../parameters.ts";
import type { ResponseSpec } from "./responses.ts";

export const TAGS = [
  { name: "Messages", description: "List, read, change and delete captured mail." },
  { name: "Content", description: "Raw source, bodies, attachments, headers and exports." },
  { name: "Testing", description: "Assert on, wait for and extract from mail in automated tests." },
  { name: "Release", description: "Forward a captured mail to a real server." },
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
  readonly body?: TSchema;
  /** A body that may be absent. */
  readonly optionalBody?: TSchema;
  /** Empty if the route needs no credentials. */
  readonly security?: readonly [];
  /** Without those that follow from the address and the input. */
  readonly responses: Readonly<Record<number, ResponseSpec>>;
}

export interface Operation<Address extends string = string, Spec extends OperationSpec = OperationSpec> {
  readonly operationId: string;
  /** Method and path, such as `GET /api/v1/messages/:id`. */
  readonly address: Address;
  readonly needs: Need;
  readonly spec: Spec;
}

type Tag = (typeof TAGS)[number]["name"];
export type TaggedOperation = Operation & { readonly tag: Tag };

type PathParameter<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathParameter<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : Path extends `${string}*`
      ? "*"
      : never;

interface Context<Address extends string, Spec extends OperationSpec> {
  readonly request: Request;
  readonly params: Readonly<Record<PathParameter<Address>, string>>;
  readonly query: Spec extends { readonly query: infer Taken extends Query } ? AskedOf<Taken> : unknown;
  readonly body: Spec extends { readonly body: infer Schema extends TSchema }
    ? Static<Schema>
    : Spec extends { readonly optionalBody: infer Schema extends TSchema }
      ? Static<Schema> | undefined
      : unknown;
  readonly set: { status?: number | string; readonly headers: Record<string, string | number> };
}

/** For a route without parameters: it refuses all. */
const NOTHING = query({});
const OPERATION = Symbol("operation");

export const operation = <const Address extends string, const Spec extends OperationSpec>(
  operationId: string,
  address: Address,
  needs: Need,
  spec: Spec,
): Operation<Address, Spec> => ({ operationId, address, needs, spec });

/** Adds the route to an application. The first success that is described is the status of an answer. */
export function route<Address extends string, Spec extends OperationSpec>(
  operation: Operation<Address, Spec>,
  handler: (context: Context<Address, Spec>) => unknown,
) {
  const { address, needs, spec } = operation;
  const { query = NOTHING, body: required, optionalBody: optional } = spec;
  const [method = "", path = ""] = address.split(" ");
  const success = Number(Object.keys(spec.responses).find((status) => status.startsWith("2")) ?? 200);
  const hooks = {
    transform: (context: Pick<Context<string, OperationSpec>, "request" | "body" | "set">) => {
      assertMay(callerOf(context.request), needs);
      context.set.status = success;
      Object.assign(context, { query: query.read(context.request.url) });
      if (required) Object.assign(context, { body: checked(required, context.body) });
      if (optional) Object.assign(context, { body: checkedIfGiven(optional, context.body) });
    },
  };
  return (app: Elysia, tag: Tag) => {
    // Elysia passes it on unchanged.
    const detail = { [OPERATION]: { ...operation, tag } };
    return app.route(method, path, handler as never, { ...hooks, detail } as never);
  };
}

export function routes(tag: Tag, ...all: readonly ReturnType<typeof route>[]) {
  const app = new Elysia();
  for (const addTo of all) addTo(app, tag);
  return app;
}

export function operationOf(hooks: unknown): TaggedOperation | undefined {
  const detail = (hooks as { detail?: { [OPERATION]?: TaggedOperation } } | undefined)?.detail;
  return detail?.[OPERATION];
}
