// The HTML of a message, or of a mail attached to it, for a frame that runs no scripts.
import { Type } from "@sinclair/typebox";
import { type Findings, forceColorScheme, type SanitizedHtml } from "../../../mime/index.ts";
import { parsedHeader } from "../../mail-content.ts";
import { operation, route, routes } from "../../openapi/operation.ts";
import { always, FRESH, problem } from "../../openapi/responses.ts";
import { type AskedOf, boolean, choice, query, withDefault } from "../../parameters.ts";
import { known } from "../../problem.ts";
import type { Dependencies } from "../dependencies.ts";
import { UNKNOWN_ATTACHMENT } from "./attachments.ts";

const LOOK = query({
  remote: withDefault(
    false,
    boolean("Load images from other servers. Only `true` and `false` are accepted."),
  ),
  scheme: choice(
    ["light", "dark"],
    "Show it as a client in light or dark mode would; without it, as the browser prefers.",
  ),
});

const ANSWERS = {
  200: {
    description: "A whole document; empty for a message without HTML.",
    headers: {
      ...FRESH,
      "Mailkeep-Blocked-Remote": always(
        "How many remote images were left out.",
        "0",
        Type.Integer({ minimum: 0 }),
      ),
      "X-DNS-Prefetch-Control": always(
        "No host of a link is looked up before somebody clicks on it.",
        "off",
        Type.Literal("off"),
      ),
    },
    content: {
      "text/html": { schema: Type.String(), example: "<!doctype html><body><p>Thank you.</p></body>" },
    },
  },
};

const HTML = operation("GET /api/v1/messages/:id/html", "read", "Content", {
  operationId: "getMessageHtml",
  summary: "The HTML body, made safe to look at",
  description:
    "No scripts and forms, `cid:` references rewritten to the inline route, remote images blocked unless asked for, " +
    "under a Content-Security-Policy that sandboxes it. Made for a frame.",
  query: LOOK,
  responses: ANSWERS,
});

const ATTACHED_HTML = operation("GET /api/v1/messages/:id/attachments/:aid/html", "read", "Content", {
  operationId: "getAttachedMessageHtml",
  summary: "The HTML body of an attached mail, made safe to look at",
  description: "As the HTML of a message, except that its own inline images are in it as data.",
  query: LOOK,
  responses: {
    ...ANSWERS,
    404: problem("No message or attachment has this id.", UNKNOWN_ATTACHMENT),
  },
});

/** Only images may come from other servers. The sandbox of the frame decides about its origin; scripts never run. */
export function htmlPolicy(remote: boolean): string {
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

function framed(
  { found, ...outcome }: Findings<SanitizedHtml>,
  { remote, scheme }: AskedOf<typeof LOOK>,
): Response {
  const { html, blocked_remote } = found;
  return new Response(scheme ? forceColorScheme(html, scheme) : html, {
    headers: {
      ...parsedHeader(outcome),
      "mailkeep-blocked-remote": String(blocked_remote),
      "content-security-policy": htmlPolicy(remote),
      "x-frame-options": "SAMEORIGIN",
      // Not every browser applies this header of the outer page to its frames.
      "x-dns-prefetch-control": "off",
      "cache-control": "no-store",
      "content-type": "text/html; charset=utf-8",
    },
  });
}

export function html({ reader, basePath }: Pick<Dependencies, "reader" | "basePath">) {
  return routes(
    route(HTML, async ({ params: { id }, query: look }) => {
      const inlineBase = `${basePath}/api/v1/messages/${id}/inline/`;
      return framed(await known(id, reader.safeHtml(id, { inlineBase, remote: look.remote })), look);
    }),
    route(ATTACHED_HTML, async ({ params: { id, aid }, query: look }) => {
      const { found } = await known(id, reader.attachments(id));
      const part = found.find(({ attachment }) => attachment.id === aid);
      if (!part) throw UNKNOWN_ATTACHMENT;
      return framed(await known(id, reader.attachedHtml(id, part, look.remote)), look);
    }),
  );
}
