// How a route describes itself: an OpenAPI operation whose schemas are the TypeBox values themselves.
// The document turns those with an `$id` into named components.
import type { TSchema } from "@sinclair/typebox";
import { ApiError } from "../../model/index.ts";
import type { Problem } from "../problem.ts";
import { NO_STORE_HEADER, type ResponseHeader } from "./response-headers.ts";

export type Tag = "Messages" | "Content" | "Testing" | "Release" | "Events" | "Service";

export interface Parameter {
  readonly name: string;
  readonly in: "query" | "path" | "header";
  readonly required?: boolean;
  readonly description: string;
  readonly schema: TSchema;
  readonly example?: unknown;
  readonly explode?: boolean;
}

export interface ResponseSpec {
  /** Written once in the document under this name, and referred to. */
  readonly name?: string;
  readonly description: string;
  readonly headers?: Readonly<Record<string, ResponseHeader>>;
  readonly content?: Readonly<Record<string, { readonly schema: TSchema; readonly example?: unknown }>>;
}

export interface OperationSpec {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly [Tag];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly schema: TSchema; readonly example?: unknown };
  /** Empty where nobody is asked for credentials. */
  readonly security?: readonly [];
  readonly responses: Readonly<Record<number, ResponseSpec>>;
}

const OPERATION = Symbol("operation");

/** A route's last argument. Elysia carries `detail` along without looking into it. */
export const documented = (spec: OperationSpec) => ({
  detail: { operationId: spec.operationId, [OPERATION]: spec },
});

export function operationOf(hooks: unknown): OperationSpec | undefined {
  const detail = (hooks as { detail?: { [OPERATION]?: OperationSpec } } | undefined)?.detail;
  return detail?.[OPERATION];
}

export const jsonAnswer = (
  description: string,
  schema: TSchema,
  headers: Readonly<Record<string, ResponseHeader>> = {},
): ResponseSpec => ({ description, headers, content: { "application/json": { schema } } });

/** The error body, shown by an error that is really thrown. */
export const problem = (
  description: string,
  { message, code }: Problem,
  headers: Readonly<Record<string, ResponseHeader>> = {},
): ResponseSpec => ({
  description,
  headers: { ...NO_STORE_HEADER, ...headers },
  content: { "application/json": { schema: ApiError, example: { error: message, code } } },
});
