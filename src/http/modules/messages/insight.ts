// Headers, authentication results, text, links and codes of a message.
import { Type } from "@sinclair/typebox";
import { AuthResults, CodeList, HeaderList, LinkList } from "../../../model/index.ts";
import { cachedJson, foundOf, parsedHeader, UNTRUSTED_HEADERS } from "../../mail-content.ts";
import { operation, route, routes } from "../../openapi/operation.ts";
import { always, cachedAnswers, FRESH, jsonAnswer } from "../../openapi/responses.ts";
import { choice, query } from "../../parameters.ts";
import { known } from "../../problem.ts";
import type { Dependencies } from "../dependencies.ts";

const HEADERS = operation("GET /api/v1/messages/:id/headers", "read", "Content", {
  operationId: "getMessageHeaders",
  summary: "All headers, unfolded and decoded",
  query: query({
    include: choice(["addresses"], "`addresses` adds the names and addresses of the fields that hold some."),
  }),
  responses: cachedAnswers("The headers in order, duplicates kept.", HeaderList),
});

const AUTH = operation("GET /api/v1/messages/:id/auth", "read", "Content", {
  operationId: "getAuthResults",
  summary: "Email authentication results",
  description:
    "What upstream servers recorded in Authentication-Results, DKIM-Signature, Received-SPF and " +
    "ARC-Authentication-Results. Nothing is verified here.",
  responses: cachedAnswers("The results, by method.", AuthResults),
});

const TEXT = operation("GET /api/v1/messages/:id/text", "read", "Content", {
  operationId: "getMessageText",
  summary: "The text body alone",
  responses: {
    200: {
      description: "The text part, or text derived from the HTML part.",
      headers: {
        "Mailkeep-Text-Part": always(
          "`false` if the mail has no text part, or only a blank one.",
          "true",
          Type.Boolean(),
        ),
        ...FRESH,
      },
      content: { "text/plain": { schema: Type.String(), example: "Thank you.\n" } },
    },
  },
});

const LINKS = operation("GET /api/v1/messages/:id/links", "read", "Testing", {
  operationId: "getMessageLinks",
  summary: "Every link of the message",
  description:
    "http, https, mailto and tel links, each once: those of the HTML in the order of the document, then what " +
    "only the text part or the List headers have. At most 10,000, of the first 4 MiB of each.",
  responses: { 200: jsonAnswer("The links.", LinkList, FRESH) },
});

const CODES = operation("GET /api/v1/messages/:id/codes", "read", "Testing", {
  operationId: "getMessageCodes",
  summary: "One-time codes in the message",
  description:
    "4 to 10 digits, or letters and digits mixed; best guess first, at most 20, of the first 200,000 characters and 500 numbers.",
  responses: { 200: jsonAnswer("The codes.", CodeList, FRESH) },
});

export function insight({ reader }: Pick<Dependencies, "reader">) {
  return routes(
    route(HEADERS, async ({ request, params: { id }, query: { include } }) => {
      const read = include ? reader.addressedHeaders(id) : reader.headers(id);
      const { found: headers, ...outcome } = await known(id, read);
      const tag = `${id}-${include ?? "headers"}`;
      return cachedJson(request, tag, { headers } satisfies HeaderList, outcome);
    }),
    route(AUTH, async ({ request, params: { id } }) => {
      const { found, ...outcome } = await known(id, reader.authResults(id));
      return cachedJson(request, `${id}-auth`, found, outcome);
    }),
    route(TEXT, async ({ params: { id } }) => {
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
    }),
    route(LINKS, async ({ params: { id }, set }): Promise<LinkList> => {
      return { links: await foundOf(id, reader.links(id), set.headers) };
    }),
    route(CODES, async ({ params: { id }, set }): Promise<CodeList> => {
      return { codes: await foundOf(id, reader.codes(id), set.headers) };
    }),
  );
}
