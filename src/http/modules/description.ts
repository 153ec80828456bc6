// The OpenAPI 3.1 description of this interface, as YAML and as JSON; each is made once, when first asked for.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { ApiError, InboxEvent } from "../../model/index.ts";
import { text } from "../json.ts";
import { openApiDocument, type Route } from "../openapi/document.ts";
import { operation } from "../openapi/operation.ts";
import { NO_STORE } from "../openapi/responses.ts";

export interface DescriptionOptions {
  readonly version: string;
  readonly basePath: string;
  readonly routes: () => readonly Route[];
}

const FORMATS = [
  {
    format: "yaml",
    operationId: "getOpenApiYaml",
    shown: { schema: Type.String(), example: "openapi: 3.1.0\n" },
    write: (document: object) => quoteTimes(Bun.YAML.stringify(document, null, 2)),
  },
  {
    format: "json",
    operationId: "getOpenApiJson",
    shown: { schema: Type.Object({}), example: { openapi: "3.1.0" } },
    write: (document: object) => JSON.stringify(document),
  },
];

export function description({ version, basePath, routes }: DescriptionOptions) {
  const app = new Elysia({ name: "description" });
  for (const { format, operationId, shown, write } of FORMATS) {
    const type = `application/${format}`;
    let written: string | null = null;
    app.get(
      `/api/v1/openapi.${format}`,
      ({ request }) => {
        written ??= write(openApiDocument(routes(), [ApiError, InboxEvent], { version, basePath }));
        return text(written, type, { acceptEncoding: request.headers.get("accept-encoding") });
      },
      operation({
        operationId,
        summary: `This description as ${format.toUpperCase()}`,
        tags: ["Service"],
        responses: {
          200: { description: "OpenAPI 3.1.", headers: NO_STORE, content: { [type]: shown } },
        },
      }),
    );
  }
  return app;
}

/** YAML 1.1 parsers, such as Python's, read an unquoted time as a date. */
const quoteTimes = (yaml: string) => yaml.replace(/(: |- )(\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?)$/gm, '$1"$2"');
