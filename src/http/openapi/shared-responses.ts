// Answers that several routes share, by status. The document names each once.
import { bodyTooLarge } from "../body.ts";
import {
  INTERNAL_ERROR,
  MALFORMED_PATH,
  NO_OBJECT,
  NOT_AUTHORIZED,
  ORIGIN_NOT_ALLOWED,
  Problem,
  STOPPING,
  unknownMessage,
} from "../problem.ts";
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
    ...problem("The URL is malformed.", MALFORMED_PATH),
  },
  403: {
    name: "Forbidden",
    ...problem(
      "A browser asks under a host name that is not known to be ours (`--allowed-host`), or from a foreign page.",
      ORIGIN_NOT_ALLOWED,
    ),
  },
  500: {
    name: "Failed",
    ...problem("Mailkeep failed; its log says why.", INTERNAL_ERROR),
  },
  503: {
    name: "Unavailable",
    ...problem("The store cannot be used, or the server is stopping.", STOPPING),
  },
  507: {
    name: "DiskFull",
    ...problem("The disk is full.", new Problem(507, "disk_full", "The disk is full.")),
  },
};

export const UNAUTHORIZED = {
  401: {
    name: "Unauthorized",
    ...problem("Credentials are asked for (`--http-auth`).", NOT_AUTHORIZED, CHALLENGE_HEADER),
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
