// The interface as a page to read and try. Works offline: Swagger UI's script is part of the executable.
import { Elysia } from "elysia";
import stylePath from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import scriptPath from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };

/** Swagger UI writes style attributes; scripts come from here alone. */
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

const START = `SwaggerUIBundle({
  url: "/api/v1/openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
});
`;

const headers = (type: string) => ({
  "content-type": type,
  "cache-control": "no-cache",
  "content-security-policy": POLICY,
});

export const docs = new Elysia({ name: "docs" })
  .get("/docs", () => new Response(PAGE, { headers: headers("text/html; charset=utf-8") }))
  .get("/docs/start.js", () => new Response(START, { headers: headers("text/javascript; charset=utf-8") }))
  .get(
    "/docs/swagger-ui.js",
    () => new Response(Bun.file(scriptPath), { headers: headers("text/javascript; charset=utf-8") }),
  )
  .get(
    "/docs/swagger-ui.css",
    () => new Response(Bun.file(stylePath), { headers: headers("text/css; charset=utf-8") }),
  );
