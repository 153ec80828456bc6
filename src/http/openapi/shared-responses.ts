// Answers that several routes share, by status. The document names each once.
import { bodyTooLarge } from "../body.ts";
import { badRequest, NO_OBJECT, Problem, unknownMessage } from "../problem.ts";
import { invalid } from "../query-string.ts";
import { problem } from "./operation.ts";
import { EXAMPLE_ID } from "./parameters.ts";
import {
  CACHED_HEADERS,
  CHALLENGE_HEADER,
  CONTENT_HEADERS,
  PARSED_HEADER,
  UNSATISFIED_RANGE_HEADER,
} from "./response-headers.ts";

/** What every route may answer, whatever it does. */
export const COMMON_RESPONSES = {
  400: {
    name: "MalformedUrl",
    ...problem(
      "The URL is malformed.",
      badRequest("malformed_url", "The path has a malformed percent-encoding."),
    ),
  },
  403: {
    name: "Forbidden",
    ...problem(
      "A browser asks under a host name that is not known to be ours (`--allowed-host`), or from a foreign page.",
      new Problem(403, "origin_not_allowed", "A page from another origin may not do this."),
    ),
  },
  500: {
    name: "Failed",
    ...problem(
      "Mailkeep failed; its log says why.",
      new Problem(500, "internal_error", "The request failed inside Mailkeep; its log says why."),
    ),
  },
  503: {
    name: "Unavailable",
    ...problem(
      "The store cannot be used, or the server is stopping.",
      new Problem(503, "stopping", "Mailkeep is stopping."),
    ),
  },
  507: {
    name: "DiskFull",
    ...problem("The disk is full.", new Problem(507, "disk_full", "The disk is full.")),
  },
};

export const UNAUTHORIZED = {
  401: {
    name: "Unauthorized",
    ...problem(
      "Credentials are asked for (`--http-auth`).",
      new Problem(401, "unauthorized", "This Mailkeep asks for a user name and a password."),
      CHALLENGE_HEADER,
    ),
  },
};

export const BAD_PARAMETER = {
  400: {
    name: "BadParameter",
    ...problem("A parameter or the URL is malformed.", invalid("unread", "1", "true or false")),
  },
};

export const BAD_BODY = {
  400: { name: "BadBody", ...problem("The body does not fit, or the URL is malformed.", NO_OBJECT) },
  413: { name: "BodyTooLarge", ...problem("The body is too large.", bodyTooLarge(1024 * 1024)) },
};

export const UNKNOWN_MESSAGE = {
  404: { name: "UnknownMessage", ...problem("No message has this id.", unknownMessage(EXAMPLE_ID)) },
};

const CURRENT = "What the client has is current.";

/** Of JSON about a mail, which has no parts to ask for. */
export const JSON_NOT_MODIFIED = {
  304: { name: "JsonNotModified", description: CURRENT, headers: { ...CACHED_HEADERS, ...PARSED_HEADER } },
};

/** Of bytes out of a mail. */
export const NOT_MODIFIED = {
  304: { name: "NotModified", description: CURRENT, headers: CONTENT_HEADERS },
};

export const RANGE_OUTSIDE = {
  416: {
    name: "RangeOutside",
    ...problem(
      "The range lies outside of the content.",
      new Problem(416, "range_not_satisfiable", "The content has 2048 bytes."),
      UNSATISFIED_RANGE_HEADER,
    ),
  },
};
