// The API as a page to read and try. It works offline: Swagger UI's script is part of the executable.
import { Elysia } from "elysia";
import stylePath from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import scriptPath from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
import { htmlBelow } from "../../base-path.ts";
import { staticFile } from "../../static-file.ts";

/** Swagger UI writes style attributes. Scripts come only from here. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

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

export function docs(basePath: string) {
  const app = new Elysia({ name: "docs" });
  for (const [path, served] of Object.entries(filesBelow(basePath)))
    app.get(path, ({ request }) => served(request));
  return app;
}
