// The content of a message: headers, authentication results, text, and HTML for a frame that runs no scripts.
import { Type } from "@sinclair/typebox";
import { type Findings, forceColorScheme, type SanitizedHtml } from "../../../mime/index.ts";
import { AuthResults, HeaderList } from "../../../model/index.ts";
import { cachedJson, parsedHeader, UNTRUSTED_HEADERS } from "../../mail-content.ts";
import { route, routes } from "../../openapi/operation.ts";
import { always, cachedAnswers, PARSED, problem } from "../../openapi/responses.ts";
import { type AskedOf, boolean, choice, query, withDefault } from "../../parameters.ts";
import { known, notFound } from "../../problem.ts";
import type { Dependencies } from "../dependencies.ts";
import { attachmentPart } from "./attachments.ts";

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

const NO_MAIL = notFound(
  "no_mail",
  "This attachment is not a mail: only message/rfc822 and .eml have HTML to show.",
);

const HTML_ANSWERS = {
  200: {
    description: "A whole document; empty for a message without HTML.",
    headers: {
      ...PARSED,
      "Mailkeep-Blocked-Remote": always(
        "How many remote images were left out.",
        Type.Integer({ minimum: 0 }),
      ),
      "X-DNS-Prefetch-Control": always(
        "No host of a link is looked up before somebody clicks on it.",
        Type.Literal("off"),
      ),
    },
    content: {
      "text/html": { schema: Type.String(), example: "<!doctype html><body><p>Thank you.</p></body>" },
    },
  },
};

/** With `remote`, images may come from other servers. Scripts never run. The sandbox of the frame may restrict more. */
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
      // Not every browser applies this setting of the outer page to its frames.
      "x-dns-prefetch-control": "off",
      "cache-control": "no-store",
      "content-type": "text/html; charset=utf-8",
    },
  });
}

export function content({ reader, basePath }: Dependencies) {
  return routes(
    "Content",
    route("getMessageHeaders", "GET /api/v1/messages/:id/headers", "read", {
      summary: "All headers, unfolded and decoded",
      query: query({
        include: choice(
          ["addresses"],
          "`addresses` adds the names and addresses of the fields that hold some.",
        ),
      }),
      responses: cachedAnswers("The headers in order, duplicates kept.", HeaderList),
      answer: async ({ request, params: { id }, query: { include } }) => {
        const read = include ? reader.addressedHeaders(id) : reader.headers(id);
        const { found: headers, ...outcome } = await known(id, read);
        const tag = `${id}-${include ?? "headers"}`;
        return cachedJson(request, tag, { headers } satisfies HeaderList, outcome);
      },
    }),
    route("getAuthResults", "GET /api/v1/messages/:id/auth", "read", {
      summary: "Email authentication results",
      description:
        "What upstream servers recorded in Authentication-Results, DKIM-Signature, Received-SPF and " +
        "ARC-Authentication-Results. Nothing is verified here.",
      responses: cachedAnswers("The results, by method.", AuthResults),
      answer: async ({ request, params: { id } }) => {
        const { found, ...outcome } = await known(id, reader.authResults(id));
        return cachedJson(request, `${id}-auth`, found, outcome);
      },
    }),
    route("getMessageText", "GET /api/v1/messages/:id/text", "read", {
      summary: "The text body alone",
      responses: {
        200: {
          description: "The text part, or text derived from the HTML part.",
          headers: {
            "Mailkeep-Text-Part": always(
              "`false` if the mail has no text part, or only a blank one.",
              Type.Boolean(),
            ),
            ...PARSED,
          },
          content: { "text/plain": { schema: Type.String(), example: "Thank you.\n" } },
        },
      },
      answer: async ({ params: { id } }) => {
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
    }),
    route("getMessageHtml", "GET /api/v1/messages/:id/html", "read", {
      summary: "The HTML body, made safe to look at",
      description:
        "Without scripts and forms. `cid:` references lead to the inline route, and remote images are blocked " +
        "unless asked for. A Content-Security-Policy sandboxes it. Made for a frame.",
      query: LOOK,
      responses: HTML_ANSWERS,
      answer: async ({ params: { id }, query: look }) => {
        const inline = `${basePath}/api/v1/messages/${id}/inline/`;
        return framed(await known(id, reader.safeHtml(id, { inline, remote: look.remote })), look);
      },
    }),
    route("getAttachedMessageHtml", "GET /api/v1/messages/:id/attachments/:aid/html", "read", {
      summary: "The HTML body of an attached mail, made safe to look at",
      description: "Like the HTML of a message, but its own inline images are embedded as `data:` URLs.",
      query: LOOK,
      responses: {
        ...HTML_ANSWERS,
        ...problem(
          "No message or attachment has this id, or the attachment is not a mail (`no_mail`).",
          NO_MAIL,
        ),
      },
      answer: async ({ params: { id, aid }, query: look }) => {
        const part = await attachmentPart(reader, id, aid);
        const { content_type, filename } = part.attachment;
        if (!/\/(?:rfc822|global)$/i.test(content_type) && !/\.eml$/i.test(filename)) throw NO_MAIL;
        return framed(await known(id, reader.attachedHtml(id, part, look.remote)), look);
      },
    }),
  );
}
