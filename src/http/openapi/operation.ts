// The description of a route: its input and its answers. Elysia checks query and body with it and types the handler,
// and the OpenAPI document is made from it.
import type { Static, TSchema } from "@sinclair/typebox";
import { body } from "../body.ts";
import { callerOf } from "../caller.ts";
import { givenIn, type Query, query } from "../parameters.ts";
import { assertMay } from "../roles.ts";
import type { StandardSchema } from "../standard-schema.ts";
import type { ResponseSpec } from "./responses.ts";

export const TAGS = [
  { name: "Messages", description: "List, read, change and delete captured mail." },
  { name: "Content", description: "Raw source, bodies, attachments, headers and exports." },
  { name: "Testing", description: "Assert on, wait for and extract from mail in automated tests." },
  { name: "Release", description: "Forward a captured mail to a real server." },
  { name: "Faults", description: "Refuse, delay and drop on purpose; see what was said and refused." },
  {
    name: "Inboxes",
    description: "Mail of several projects and test runs, kept apart; and the routes for one inbox alone.",
  },
  { name: "Events", description: "Inbox events in real time." },
  { name: "Access", description: "Who may do what: the caller, and tokens for programs." },
  { name: "Service", description: "Version, health, metrics and this description." },
] as const;

export interface OperationSpec {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly [(typeof TAGS)[number]["name"]];
  readonly query?: Query;
  readonly body?: TSchema;
  /** A body that may be absent. */
  readonly optionalBody?: TSchema;
  /** Empty if the route needs no credentials. */
  readonly security?: readonly [];
  readonly responses: Readonly<Record<number, ResponseSpec>>;
}

type Hooks<Spec extends OperationSpec> = {
  readonly detail: { readonly operationId: string };
  readonly transform: (context: { readonly request: Request }) => void;
  readonly query: Spec extends { readonly query: infer Taken extends Query } ? Taken : typeof NOTHING;
} & (Spec extends { readonly body: infer Schema extends TSchema }
  ? { readonly body: StandardSchema<unknown, Static<Schema>> }
  : Spec extends { readonly optionalBody: infer Schema extends TSchema }
    ? { readonly body: StandardSchema<unknown, Static<Schema> | undefined> }
    : unknown);

/** For a route without parameters: it refuses all. */
const NOTHING = query({});
const OPERATION = Symbol("operation");

/** The last argument of a route. Elysia passes `detail` on unchanged. */
export const operation = <const Spec extends OperationSpec>(spec: Spec): Hooks<Spec> => {
  const schema = spec.body ?? spec.optionalBody;
  const hooks = {
    detail: { operationId: spec.operationId, [OPERATION]: spec },
    transform: (context: { readonly request: Request }) => {
      assertMay(callerOf(context.request), spec.operationId);
      Object.assign(context, { query: givenIn(context.request.url) });
    },
    query: spec.query ?? NOTHING,
    ...(schema && { body: body(schema, { isOptional: spec.body === undefined }) }),
  };
  return hooks as unknown as Hooks<Spec>;
};

export function operationOf(hooks: unknown): OperationSpec | undefined {
  const detail = (hooks as { detail?: { [OPERATION]?: OperationSpec } } | undefined)?.detail;
  return detail?.[OPERATION];
}
