// The OpenAPI 3.1 document, made from the routes themselves: what is not served is not described.
// @elysiajs/openapi is not used: it drops declared query parameters of routes that have path parameters,
// and declaring them as Elysia schemas would make Elysia coerce values that the contract refuses.
import type { TSchema } from "@sinclair/typebox";
import { Components, type JsonObject } from "./components.ts";
import { type OperationSpec, operationOf, type ResponseSpec } from "./operation.ts";
import { COMMON_RESPONSES, UNAUTHORIZED } from "./shared-responses.ts";

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

const DESCRIPTION = [
  "A self-hosted mail catcher: mail received by SMTP can be listed, read, searched, waited for, asserted on,",
  "forwarded and deleted.",
  "",
  "Every GET also answers HEAD, and every path OPTIONS. Any other method is 405 with the code `method_not_allowed`,",
  "and `Allow` names those that are possible.",
  "",
  "Every answer has a `Content-Security-Policy`, `X-Content-Type-Options`, `X-Frame-Options`, `Referrer-Policy`,",
  "`Permissions-Policy`, `Cross-Origin-Opener-Policy` and `Cross-Origin-Resource-Policy`. JSON of 1 KiB and more",
  "is compressed with gzip or zstd for who accepts it.",
].join("\n");

export function openApiDocument(
  routes: readonly Route[],
  extra: readonly TSchema[],
  { version, basePath }: { readonly version: string; readonly basePath: string },
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
      description: DESCRIPTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: basePath || "/", description: "This server" }],
    tags: TAGS,
    paths,
    // Credentials are asked for only with --http-auth.
    security: [{}, { basicAuth: [] }],
    components: {
      securitySchemes: { basicAuth: { type: "http", scheme: "basic" } },
      ...components.all(),
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
    responses: Object.fromEntries(
      Object.entries<ResponseSpec>({
        ...COMMON_RESPONSES,
        ...(!rest.security && UNAUTHORIZED),
        ...responses,
      }).map(([status, response]) => [status, components.response(response)]),
    ),
  };
}
