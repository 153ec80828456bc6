// The OpenAPI 3.1 document, made from the routes themselves, so it describes only what is served.
import { type TSchema, Type, TypeGuard } from "@sinclair/typebox";
import { ApiError, InboxEvent, InboxName, Ulid } from "../../model/index.ts";
import { isScoped } from "../caller.ts";
import { type Operation, operationOf, TAGS } from "./operation.ts";
import {
  BAD_BODY,
  BAD_PARAMETER,
  COMMON_RESPONSES,
  EXAMPLE_ID,
  HINT,
  NO_STORE,
  type ResponseSpec,
  UNAUTHORIZED,
  UNKNOWN_INBOX,
  UNKNOWN_MESSAGE,
} from "./responses.ts";

export interface Route {
  readonly method: string;
  readonly path: string;
  readonly hooks: unknown;
}

type JsonObject = { [name: string]: unknown };

const DESCRIPTION = [
  "A self-hosted mail catcher: mail received by SMTP can be listed, read, searched, waited for, asserted on,",
  "released to a real server and deleted.",
  "",
  "Every GET also answers HEAD, and every path OPTIONS. Any other method is 405 with the code `method_not_allowed`,",
  "and `Allow` names those that are possible. A query parameter that a route does not know is 400 with the code",
  "`unknown_parameter`, and nothing is done.",
  "",
  "Every answer has a `Content-Security-Policy`, `X-Content-Type-Options`, `X-Frame-Options`, `Referrer-Policy`,",
  "`Permissions-Policy`, `Cross-Origin-Opener-Policy` and `Cross-Origin-Resource-Policy`; content of a mail may not",
  "run scripts. JSON of 1 KiB and more is compressed with gzip if the client accepts it, but a mail with more than",
  "256 Ki characters of text or HTML is not.",
].join("\n");

const PATH_PARAMETERS: Readonly<Record<string, TSchema>> = {
  inbox: { ...InboxName, description: "The inbox's name." },
  id: { ...Ulid, description: "The message's id." },
  aid: { ...Ulid, description: "The attachment's id." },
  cid: Type.String({
    description: "The Content-ID without angle brackets, percent-encoded.",
    examples: ["logo@example.com"],
  }),
  rid: { ...Ulid, description: "The rejection's id." },
  name: Type.String({ description: "The rule's name.", examples: ["busy"] }),
  tid: Type.String({ description: "The token's id.", examples: ["01JQ4Z8R5T2M9XK3W7V1B6C0DE"] }),
};

const header = (description: string, example: string) => Type.String({ description, examples: [example] });
const ETAG = `"${EXAMPLE_ID}"`;
const IF_NONE_MATCH = {
  "If-None-Match": header("ETags of the client's copies. If one is current, the answer is 304.", ETAG),
};
const MUST_BE_NEW = { "If-None-Match": header("`*`: if the inbox exists, the answer is 412.", "*") };
const RANGES = {
  Range: header("One range of bytes. Several ranges, or other units, get the whole content.", "bytes=0-99"),
  "If-Range": header("The ETag of the partial copy the client has; if it differs, everything is sent.", ETAG),
};

export function openApiDocument(routes: readonly Route[], version: string, basePath: string): JsonObject {
  const components = new Components();
  const paths: Record<string, JsonObject> = {};
  for (const { method, path, hooks } of routes) {
    const operation = operationOf(hooks);
    if (!operation) continue;
    const add = (at: string, operation: Operation) => {
      const verb = method.toLowerCase();
      paths[at] = { ...paths[at], [verb]: operationAt(verb, at, operation, components) };
    };
    const at = path.replace(/:([A-Za-z]+)/g, "{$1}").replace("*", "{cid}");
    add(at, operation);
    if (isScoped(at)) add(at.replace("/api/v1", "/api/v1/inboxes/{inbox}"), withinInbox(operation));
  }
  for (const schema of [ApiError, InboxEvent]) components.resolve(schema);
  return {
    openapi: "3.1.0",
    info: {
      title: "Mailkeep",
      version,
      summary: "Every mail your code sends, kept.",
      description: DESCRIPTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: basePath || "/", description: "This server" }],
    tags: TAGS,
    paths,
    // Whether credentials are needed depends on settings such as --http-auth.
    security: [{}, { basicAuth: [] }, { bearerAuth: [] }],
    components: {
      securitySchemes: {
        basicAuth: { type: "http", scheme: "basic" },
        bearerAuth: { type: "http", scheme: "bearer", description: "A token of `POST /api/v1/tokens`." },
      },
      ...components.all(),
    },
  };
}

const withinInbox = ({ operationId, spec, ...operation }: Operation): Operation => ({
  ...operation,
  operationId: `${operationId}InInbox`,
  tag: "Inboxes",
  spec: {
    ...spec,
    summary: `${spec.summary}, of one inbox`,
    description: `Like \`${operationId}\`, limited to the mail of this inbox.`,
  },
});

function operationAt(
  method: string,
  path: string,
  { operationId, tag, spec }: Operation,
  components: Components,
): JsonObject {
  const { query, body, responses, ...rest } = spec;
  const parameters = [
    ...described("path", PATH_PARAMETERS).filter(({ name }) => path.includes(`{${name}}`)),
    ...described("query", query?.parameters ?? {}),
    ...described("header", {
      ...(responses[206] && RANGES),
      ...(responses[304] && IF_NONE_MATCH),
      ...(responses[412] && MUST_BE_NEW),
    }),
  ];
  const hint = query && "q" in query.parameters && HINT;
  return {
    operationId,
    ...rest,
    tags: [tag],
    ...(parameters.length > 0 && { parameters: components.resolve(parameters) }),
    ...(body && {
      requestBody: {
        required: !TypeGuard.IsOptional(body),
        content: { "application/json": { schema: components.resolve(body) } },
      },
    }),
    responses: Object.fromEntries(
      Object.entries<ResponseSpec>({
        ...COMMON_RESPONSES,
        ...(!rest.security && UNAUTHORIZED),
        ...(query && BAD_PARAMETER),
        ...(method !== "get" && BAD_BODY),
        ...(path.includes("{inbox}/") && UNKNOWN_INBOX),
        ...(path.includes("{id}") && UNKNOWN_MESSAGE),
        ...responses,
      }).map(([status, response]) => {
        const isShared = response.name !== undefined;
        const usual = { ...(status !== "101" && NO_STORE), ...(!isShared && hint) };
        return [status, components.response(response, usual)];
      }),
    ),
  };
}

const described = (place: "path" | "query" | "header", schemas: Readonly<Record<string, TSchema>>) =>
  Object.entries(schemas).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    ...(place === "path" && { required: true }),
    description,
    schema,
    ...(schema.type === "array" && { explode: true }),
  }));

/** Collects schemas with an `$id` and responses with a name, and replaces them by references. */
class Components {
  readonly #schemas = new Map<string, unknown>();
  readonly #responses = new Map<string, unknown>();

  all(): JsonObject {
    return { responses: sorted(this.#responses), schemas: sorted(this.#schemas) };
  }

  response({ name, headers, ...spec }: ResponseSpec, usual: ResponseSpec["headers"]): unknown {
    const response = this.resolve({ ...spec, headers: { ...usual, ...headers } });
    if (name === undefined) return response;
    this.#responses.set(name, response);
    return { $ref: `#/components/responses/${name}` };
  }

  resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.resolve(item));
    if (value === null || typeof value !== "object") return value;
    const { $id, ...rest } = value as { $id?: unknown };
    if (typeof $id !== "string") return this.#plain(rest);
    if (!this.#schemas.has($id)) {
      this.#schemas.set($id, null);
      this.#schemas.set($id, this.#plain(rest));
    }
    return { $ref: `#/components/schemas/${$id}` };
  }

  /** Leaves out TypeBox's own marks, whose keys are symbols. */
  #plain(value: object): JsonObject {
    const entries = Object.entries(value).map(([name, field]) => [name, this.resolve(field)] as const);
    return literalsAsEnum(Object.fromEntries(entries));
  }
}

const sorted = (named: ReadonlyMap<string, unknown>): JsonObject =>
  Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1)));

/** Client generators understand an enum better than a union of literals. */
function literalsAsEnum({ anyOf, ...rest }: JsonObject): JsonObject {
  if (!Array.isArray(anyOf)) return rest;
  const words = anyOf.map((choice: JsonObject) => choice.const);
  if (!words.every((word) => typeof word === "string")) return { ...rest, anyOf };
  return { ...rest, type: "string", enum: words };
}
