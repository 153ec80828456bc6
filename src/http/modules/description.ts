// The OpenAPI 3.1 description of this interface, as YAML and as JSON; made once, when first asked for.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { ApiError, InboxEvent } from "../../model/index.ts";
import { text } from "../json.ts";
import { openApiDocument, type Route } from "../openapi/document.ts";
import { documented, type OperationSpec } from "../openapi/operation.ts";
import { NO_STORE_HEADER } from "../openapi/response-headers.ts";

export interface DescriptionOptions {
  readonly version: string;
  readonly basePath: string;
  readonly routes: () => readonly Route[];
}

const describes = (format: "yaml" | "json"): OperationSpec => ({
  operationId: format === "yaml" ? "getOpenApiYaml" : "getOpenApiJson",
  summary: `This description as ${format.toUpperCase()}`,
  tags: ["Service"],
  responses: {
    200: {
      description: "OpenAPI 3.1.",
      headers: NO_STORE_HEADER,
      content: {
        [`application/${format}`]:
          format === "yaml"
            ? { schema: Type.String(), example: "openapi: 3.1.0\n" }
            : { schema: Type.Object({}), example: { openapi: "3.1.0" } },
      },
    },
  },
});

export function description({ version, basePath, routes }: DescriptionOptions) {
  const document = once(() => openApiDocument(routes(), [ApiError, InboxEvent], { version, basePath }));
  const asJson = once(() => JSON.stringify(document()));
  const asYaml = once(() => quoteTimes(Bun.YAML.stringify(document(), null, 2)));
  return new Elysia({ prefix: "/api/v1" })
    .get(
      "/openapi.yaml",
      ({ request }) =>
        text(asYaml(), "application/yaml", { acceptEncoding: request.headers.get("accept-encoding") }),
      documented(describes("yaml")),
    )
    .get(
      "/openapi.json",
      ({ request }) =>
        text(asJson(), "application/json", { acceptEncoding: request.headers.get("accept-encoding") }),
      documented(describes("json")),
    );
}

/** Readers of YAML 1.1, Python's among them, take a bare time for a date instead of a string. */
const quoteTimes = (yaml: string) => yaml.replace(/(: |- )(\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?)$/gm, '$1"$2"');

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
