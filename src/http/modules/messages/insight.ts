// What a person or a test reads out of a message: headers, authentication results, text, safe HTML, links, codes.
import { Elysia } from "elysia";
import type { MessageReader } from "../../../app/index.ts";
import { forceColorScheme } from "../../../mime/index.ts";
import type { CodeList, HeaderList, LinkList } from "../../../model/index.ts";
import { cachedJson } from "../../cached-json.ts";
import { UNTRUSTED_HEADERS } from "../../mail-content.ts";
import { documented } from "../../openapi/operation.ts";
import { parsedHeader } from "../../parsed-header.ts";
import { known } from "../../problem.ts";
import { QueryString } from "../../query-string.ts";
import { AUTH_DOC, CODES_DOC, HEADERS_DOC, HTML_DOC, LINKS_DOC, TEXT_DOC } from "./insight.docs.ts";

/**
 * Images are all that may come from elsewhere. The frame's own sandbox decides about its origin; scripts run in
 * neither.
 */
function htmlPolicy(remote: boolean): string {
  return [
    "default-src 'none'",
    `img-src 'self' data:${remote ? " https: http:" : ""}`,
    "style-src 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    "sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox",
  ].join("; ");
}

interface InsightOptions {
  readonly reader: MessageReader;
  readonly basePath: string;
}

export function insight({ reader, basePath }: InsightOptions) {
  return new Elysia({ prefix: "/api/v1/messages/:id" })
    .get(
      "/headers",
      async ({ request, params: { id } }) => {
        const include = new QueryString(request.url).choice("include", ["addresses"]);
        const read = include ? reader.addressedHeaders(id) : reader.headers(id);
        const { found: headers, ...outcome } = await known(id, read);
        const tag = `${id}-${include ?? "headers"}`;
        return cachedJson(request, tag, { headers } satisfies HeaderList, outcome);
      },
      documented(HEADERS_DOC),
    )
    .get(
      "/auth",
      async ({ request, params: { id } }) => {
        const { found, ...outcome } = await known(id, reader.authResults(id));
        return cachedJson(request, `${id}-auth`, found, outcome);
      },
      documented(AUTH_DOC),
    )
    .get(
      "/text",
      async ({ params: { id } }) => {
        const bodies = await known(id, reader.bodies(id));
        return new Response(bodies.text_body, {
          headers: {
            ...UNTRUSTED_HEADERS,
            ...parsedHeader(bodies),
            "mailkeep-text-part": String(bodies.has_text_part),
            "cache-control": "no-store",
            "content-type": "text/plain; charset=utf-8",
          },
        });
      },
      documented(TEXT_DOC),
    )
    .get(
      "/html",
      async ({ request, params: { id } }) => {
        const query = new QueryString(request.url);
        const remote = query.boolean("remote") ?? false;
        const scheme = query.choice("scheme", ["light", "dark"]);
        const inlineBase = `${basePath}/api/v1/messages/${id}/inline/`;
        const { found, ...outcome } = await known(id, reader.safeHtml(id, { inlineBase, remote }));
        const { html, blocked_remote } = found;
        return new Response(scheme ? forceColorScheme(html, scheme) : html, {
          headers: {
            ...parsedHeader(outcome),
            "mailkeep-blocked-remote": String(blocked_remote),
            "content-security-policy": htmlPolicy(remote),
            "x-frame-options": "SAMEORIGIN",
            // What the page around it says of that, not every browser takes for its frames.
            "x-dns-prefetch-control": "off",
            "cache-control": "no-store",
            "content-type": "text/html; charset=utf-8",
          },
        });
      },
      documented(HTML_DOC),
    )
    .get(
      "/links",
      async ({ params: { id }, set }): Promise<LinkList> => {
        const { found: links, ...outcome } = await known(id, reader.links(id));
        Object.assign(set.headers, parsedHeader(outcome));
        return { links };
      },
      documented(LINKS_DOC),
    )
    .get(
      "/codes",
      async ({ params: { id }, set }): Promise<CodeList> => {
        const { found: codes, ...outcome } = await known(id, reader.codes(id));
        Object.assign(set.headers, parsedHeader(outcome));
        return { codes };
      },
      documented(CODES_DOC),
    );
}
