// The routes that read out of a message, as the OpenAPI document shows them.
import { Type } from "@sinclair/typebox";
import { AuthResults, CodeList, HeaderList, LinkList } from "../../../model/index.ts";
import { jsonAnswer, type OperationSpec, problem } from "../../openapi/operation.ts";
import { IF_NONE_MATCH, INCLUDE_ADDRESSES, LITERAL_BOOLEAN, MESSAGE_ID } from "../../openapi/parameters.ts";
import {
  CACHED_HEADERS,
  NO_STORE_HEADER,
  PARSED_HEADER,
  type ResponseHeader,
} from "../../openapi/response-headers.ts";
import { JSON_NOT_MODIFIED, UNKNOWN_MESSAGE } from "../../openapi/shared-responses.ts";
import { invalid } from "../../query-string.ts";

export const HEADERS_DOC: OperationSpec = {
  operationId: "getMessageHeaders",
  summary: "All headers, unfolded and decoded",
  tags: ["Content"],
  parameters: [MESSAGE_ID, INCLUDE_ADDRESSES, IF_NONE_MATCH],
  responses: {
    200: jsonAnswer("The headers in order, duplicates kept.", HeaderList, {
      ...CACHED_HEADERS,
      ...PARSED_HEADER,
    }),
    ...JSON_NOT_MODIFIED,
    400: problem("`include` or the URL is malformed.", invalid("include", "people", "addresses")),
    ...UNKNOWN_MESSAGE,
  },
};

export const AUTH_DOC: OperationSpec = {
  operationId: "getAuthResults",
  summary: "Email authentication results",
  description:
    "What upstream servers recorded in Authentication-Results, DKIM-Signature, Received-SPF and " +
    "ARC-Authentication-Results. Nothing is verified here.",
  tags: ["Content"],
  parameters: [MESSAGE_ID, IF_NONE_MATCH],
  responses: {
    200: jsonAnswer("The results, by method.", AuthResults, { ...CACHED_HEADERS, ...PARSED_HEADER }),
    ...JSON_NOT_MODIFIED,
    ...UNKNOWN_MESSAGE,
  },
};

const TEXT_PART_HEADER: Record<string, ResponseHeader> = {
  "Mailkeep-Text-Part": {
    description: "`false` where the mail has no text part that says something.",
    required: true,
    schema: Type.Boolean(),
  },
};

export const TEXT_DOC: OperationSpec = {
  operationId: "getMessageText",
  summary: "The text body alone",
  tags: ["Content"],
  parameters: [MESSAGE_ID],
  responses: {
    200: {
      description: "The text part, or text derived from the HTML part.",
      headers: { ...TEXT_PART_HEADER, ...NO_STORE_HEADER, ...PARSED_HEADER },
      content: { "text/plain": { schema: Type.String(), example: "Thank you.\n" } },
    },
    ...UNKNOWN_MESSAGE,
  },
};

const HTML_HEADERS: Record<string, ResponseHeader> = {
  "Mailkeep-Blocked-Remote": {
    description: "How many remote images were left out.",
    required: true,
    schema: Type.Integer({ minimum: 0 }),
  },
  "X-DNS-Prefetch-Control": {
    description: "No host of a link is looked up before somebody clicks on it.",
    required: true,
    schema: Type.Literal("off"),
  },
};

export const HTML_DOC: OperationSpec = {
  operationId: "getMessageHtml",
  summary: "The HTML body, made safe to look at",
  description:
    "No scripts and forms, `cid:` references rewritten to the inline route, remote images blocked unless asked for, " +
    "under a Content-Security-Policy that sandboxes it. Made for a frame.",
  tags: ["Content"],
  parameters: [
    MESSAGE_ID,
    {
      name: "remote",
      in: "query",
      description: `Load images from other servers. ${LITERAL_BOOLEAN}.`,
      schema: Type.Boolean({ default: false }),
    },
    {
      name: "scheme",
      in: "query",
      description: "Show it as a client in light or dark mode would; without it, as the browser prefers.",
      schema: Type.Union([Type.Literal("light"), Type.Literal("dark")]),
    },
  ],
  responses: {
    200: {
      description: "A whole document; empty for a message without HTML.",
      headers: { ...NO_STORE_HEADER, ...PARSED_HEADER, ...HTML_HEADERS },
      content: {
        "text/html": { schema: Type.String(), example: "<!doctype html><body><p>Thank you.</p></body>" },
      },
    },
    400: problem("`remote`, `scheme` or the URL is malformed.", invalid("scheme", "grey", "light or dark")),
    ...UNKNOWN_MESSAGE,
  },
};

export const LINKS_DOC: OperationSpec = {
  operationId: "getMessageLinks",
  summary: "Every link of the message",
  description:
    "http, https, mailto and tel links, each once: those of the HTML in the order of the document, then what " +
    "only the text part or the List headers have. At most 10,000, of the first 4 MiB of each.",
  tags: ["Testing"],
  parameters: [MESSAGE_ID],
  responses: {
    200: jsonAnswer("The links.", LinkList, { ...NO_STORE_HEADER, ...PARSED_HEADER }),
    ...UNKNOWN_MESSAGE,
  },
};

export const CODES_DOC: OperationSpec = {
  operationId: "getMessageCodes",
  summary: "One-time codes in the message",
  description:
    "4 to 10 digits, or letters and digits mixed; best guess first, at most 20, of the first 200,000 characters and 500 numbers.",
  tags: ["Testing"],
  parameters: [MESSAGE_ID],
  responses: {
    200: jsonAnswer("The codes.", CodeList, { ...NO_STORE_HEADER, ...PARSED_HEADER }),
    ...UNKNOWN_MESSAGE,
  },
};
