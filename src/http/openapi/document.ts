// The OpenAPI 3.1 document, made from the routes themselves: what is not served is not described.
// @elysiajs/openapi is not used: it drops declared query parameters of routes that have path parameters,
// and declaring them as Elysia schemas would make Elysia coerce values that the contract refuses.
import type { TSchema } from "@sinclair/typebox";
import { Components, type JsonObject } from "./components.ts";
import { type OperationSpec, operationOf, problems, type ResponseSpec } from "./operation.ts";

export interface Route {
  readonly method: string;
  readonly path: string;
  readonly hooks: unknown;
}

const TAGS = [
  { name: "Messages", description: "List, read, change and delete captured mail." },
  { name: "Content", description: "Raw source, bodies, attachments, headers and exports." },
  { name: "Testing", description: "Assert on, wait for and extract from mail in automated tests." },
  { name: "Release", description: "Forward a captured mail to a real server." },
  { name: "Events", description: "Inbox events in real time." },
  { name: "Service", description: "The service itself." },
];

/** What every route may answer, whatever it does. */
const COMMON_RESPONSES = {
  400: { name: "BadRequest", ...problems({ 400: "The URL is malformed." })[400] },
  401: { name: "Unauthorized", ...problems({ 401: "Credentials are asked for (`--http-auth`)." })[401] },
  403: {
    name: "Forbidden",
    ...problems({
      403: "A browser asks under a host name that is not known to be ours (`--allowed-host`), or from a foreign page.",
    })[403],
  },
  500: { name: "Failed", ...problems({ 500: "Mailkeep failed; its log says why." })[500] },
  503: {
    name: "Unavailable",
    ...problems({ 503: "The store cannot be used, or the server is stopping." })[503],
  },
  507: { name: "DiskFull", ...problems({ 507: "The disk is full." })[507] },
} as const;

export function openApiDocument(
  routes: readonly Route[],
  extra: readonly TSchema[],
  version: string,
): JsonObject {
  const components = new Components();
  const paths: Record<string, JsonObject> = {};
  for (const { method, path, hooks } of routes) {
    const spec = operationOf(hooks);
    if (!spec) continue;
    const at = path.replace(/:([A-Za-z]+)/g, "{$1}");
    paths[at] = { ...paths[at], [method.toLowerCase()]: operation(spec, components) };
  }
  for (const schema of extra) components.resolve(schema);
  return {
    openapi: "3.1.0",
    info: {
      title: "Mailkeep",
      version,
      summary: "Every mail your code sends, kept.",
      description:
        "A self-hosted mail catcher: mail received by SMTP can be listed, read, searched, waited for, " +
        "asserted on, forwarded and deleted. Every GET also answers HEAD.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "This server" }],
    tags: TAGS,
    paths,
    // Credentials are asked for only with --http-auth.
    security: [{}, { basicAuth: [] }],
    components: {
      securitySchemes: { basicAuth: { type: "http", scheme: "basic" } },
      responses: Object.fromEntries(
        Object.values(COMMON_RESPONSES).map(({ name, ...response }) => [name, components.resolve(response)]),
      ),
      schemas: components.schemas(),
    },
  };
}

function operation(
  { requestBody, responses, parameters, ...rest }: OperationSpec,
  components: Components,
): JsonObject {
  return {
    ...rest,
    ...(parameters && { parameters: components.resolve(parameters) }),
    ...(requestBody && {
      requestBody: {
        required: requestBody.required,
        content: {
          "application/json": {
            schema: components.resolve(requestBody.schema),
            ...(requestBody.example !== undefined && { example: requestBody.example }),
          },
        },
      },
    }),
    responses: {
      ...(rest.security ? WITHOUT_CREDENTIALS : COMMON_REFERENCES),
      ...Object.fromEntries(
        Object.entries<ResponseSpec>(responses).map(([status, response]) => [
          status,
          components.resolve(response),
        ]),
      ),
    },
  };
}

const COMMON_REFERENCES = Object.fromEntries(
  Object.entries(COMMON_RESPONSES).map(([status, { name }]) => [
    status,
    { $ref: `#/components/responses/${name}` },
  ]),
);

const { 401: _, ...WITHOUT_CREDENTIALS } = COMMON_REFERENCES;
