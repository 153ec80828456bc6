// The OpenAPI 3.1 description as YAML and JSON, and Swagger UI as a page to read and try it. The page works offline,
// because Swagger UI is part of the executable.
import { Type } from "@sinclair/typebox";
import stylePath from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import scriptPath from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
import { htmlBelow } from "../base-path.ts";
import { text } from "../json.ts";
import { openApiDocument, type Route } from "../openapi/document.ts";
import { route, routes } from "../openapi/operation.ts";
import { staticFile } from "../static-file.ts";
import type { Dependencies } from "./dependencies.ts";
import { pagePolicy } from "./pages.ts";

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

/** Allows inline styles, because Swagger UI uses style attributes. */
const POLICY = pagePolicy("'self' 'unsafe-inline'");

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mailkeep API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

const start = (basePath: string) => `SwaggerUIBundle({
  url: "${basePath}/api/v1/openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
});
`;

const file = (type: string, load: () => Promise<Uint8Array<ArrayBuffer>>) =>
  staticFile({
    type: `${type}; charset=utf-8`,
    load,
    headers: { "cache-control": "no-cache", "content-security-policy": POLICY },
  });

const made = (text: string) => async () => new TextEncoder().encode(text);

const filesBelow = (basePath: string) => ({
  "/docs": file("text/html", made(htmlBelow(basePath, PAGE))),
  "/docs/start.js": file("text/javascript", made(start(basePath))),
  "/docs/swagger-ui.js": file("text/javascript", () => Bun.file(scriptPath).bytes()),
  "/docs/swagger-ui.css": file("text/css", () => Bun.file(stylePath).bytes()),
});

export function description({ facts: { version }, basePath }: Dependencies, served: () => readonly Route[]) {
  const documents = FORMATS.map(({ format, operationId, shown, write }) => {
    const type = `application/${format}`;
    let written: string | null = null;
    return route(operationId, `GET /api/v1/openapi.${format}`, "read", {
      summary: `This description as ${format.toUpperCase()}`,
      responses: { 200: { description: "OpenAPI 3.1.", content: { [type]: shown } } },
      answer: ({ request }) => {
        written ??= write(openApiDocument(served(), version, basePath));
        return text(written, type, { request });
      },
    });
  });
  const app = routes("Service", ...documents);
  for (const [path, answer] of Object.entries(filesBelow(basePath)))
    app.get(path, ({ request }) => answer(request));
  return app;
}

/** YAML 1.1 parsers, such as Python's, read an unquoted time as a date. */
const quoteTimes = (yaml: string) => yaml.replace(/(: |- )(\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?)$/gm, '$1"$2"');
