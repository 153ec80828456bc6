// Headers, authentication results, text, links and codes of a message.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { AuthResults, CodeList, HeaderList, LinkList } from "../../../model/index.ts";
import { cachedJson, parsedHeader, UNTRUSTED_HEADERS } from "../../mail-content.ts";
import { operation } from "../../openapi/operation.ts";
import {
  always,
  cachedAnswers,
  FRESH,
  jsonAnswer,
  problem,
  UNKNOWN_MESSAGE,
} from "../../openapi/responses.ts";
import { choice, invalid, query } from "../../parameters.ts";
import { known } from "../../problem.ts";
import type { Dependencies } from "../dependencies.ts";

const HEADERS = operation({
  operationId: "getMessageHeaders",
  summary: "All headers, unfolded and decoded",
  tags: ["Content"],
  query: query({
    include: choice(["addresses"], "`addresses` adds the names and addresses of the fields that hold some."),
  }),
  responses: {
    ...cachedAnswers("The headers in order, duplicates kept.", HeaderList),
    400: problem("`include` or the URL is malformed.", invalid("include", "people", "addresses")),
    ...UNKNOWN_MESSAGE,
  },
});

const AUTH = operation({
  operationId: "getAuthResults",
  summary: "Email authentication results",
  description:
    "What upstream servers recorded in Authentication-Results, DKIM-Signature, Received-SPF and " +
    "ARC-Authentication-Results. Nothing is verified here.",
  tags: ["Content"],
  responses: {
    ...cachedAnswers("The results, by method.", AuthResults),
    ...UNKNOWN_MESSAGE,
  },
});

const TEXT = operation({
  operationId: "getMessageText",
  summary: "The text body alone",
  tags: ["Content"],
  responses: {
    200: {
      description: "The text part, or text derived from the HTML part.",
      headers: {
        "Mailkeep-Text-Part": always(
          "`false` where the mail has no text part that says something.",
          "true",
          Type.Boolean(),
        ),
        ...FRESH,
      },
      content: { "text/plain": { schema: Type.String(), example: "Thank you.\n" } },
    },
    ...UNKNOWN_MESSAGE,
  },
});

const LINKS = operation({
  operationId: "getMessageLinks",
  summary: "Every link of the message",
  description:
    "http, https, mailto and tel links, each once: those of the HTML in the order of the document, then what " +
    "only the text part or the List headers have. At most 10,000, of the first 4 MiB of each.",
  tags: ["Testing"],
  responses: {
    200: jsonAnswer("The links.", LinkList, FRESH),
    ...UNKNOWN_MESSAGE,
  },
});

const CODES = operation({
  operationId: "getMessageCodes",
  summary: "One-time codes in the message",
  description:
    "4 to 10 digits, or letters and digits mixed; best guess first, at most 20, of the first 200,000 characters and 500 numbers.",
  tags: ["Testing"],
  responses: {
    200: jsonAnswer("The codes.", CodeList, FRESH),
    ...UNKNOWN_MESSAGE,
  },
});

export function insight({ reader }: Pick<Dependencies, "reader">) {
  return new Elysia({ prefix: "/api/v1/messages/:id" })
    .get(
      "/headers",
      async ({ request, params: { id }, query: { include } }) => {
        const read = include ? reader.addressedHeaders(id) : reader.headers(id);
        const { found: headers, ...outcome } = await known(id, read);
        const tag = `${id}-${include ?? "headers"}`;
        return cachedJson(request, tag, { headers } satisfies HeaderList, outcome);
      },
      HEADERS,
    )
    .get(
      "/auth",
      async ({ request, params: { id } }) => {
        const { found, ...outcome } = await known(id, reader.authResults(id));
        return cachedJson(request, `${id}-auth`, found, outcome);
      },
      AUTH,
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
      TEXT,
    )
    .get(
      "/links",
      async ({ params: { id }, set }): Promise<LinkList> => {
        const { found: links, ...outcome } = await known(id, reader.links(id));
        Object.assign(set.headers, parsedHeader(outcome));
        return { links };
      },
      LINKS,
    )
    .get(
      "/codes",
      async ({ params: { id }, set }): Promise<CodeList> => {
        const { found: codes, ...outcome } = await known(id, reader.codes(id));
        Object.assign(set.headers, parsedHeader(outcome));
        return { codes };
      },
      CODES,
    );
}
