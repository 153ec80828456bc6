// The answers and their headers in the OpenAPI document.
import { type TSchema, Type } from "@sinclair/typebox";
import { ApiError, Ulid } from "../../model/index.ts";
import { bodyTooLarge } from "../body.ts";
import { unknownInbox } from "../caller.ts";
import { IMMUTABLE, rangeOutside } from "../mail-content.ts";
import { invalid } from "../parameters.ts";
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

export interface ResponseSpec {
  /** With a name, the document describes the response once and refers to it. */
  readonly name?: string;
  readonly description: string;
  readonly headers?: Headers;
  readonly content?: Content;
}

type Content = Readonly<Record<string, { readonly schema: TSchema; readonly example?: unknown }>>;
type Headers = Readonly<Record<string, Header>>;

interface Header {
  readonly description?: string;
  readonly required?: true;
  readonly schema: TSchema;
}

export const [EXAMPLE_ID = ""] = Ulid.examples as string[];

const sometimes = (description: string, example: string): Header => ({
  description,
  schema: Type.String({ examples: [example] }),
});

export const always = (description: string, shown: string | TSchema): Header => ({
  description,
  required: true,
  schema: typeof shown === "string" ? Type.String({ examples: [shown] }) : shown,
});

/** For every answer that has no Cache-Control of its own, except 101. */
export const NO_STORE = { "Cache-Control": always("The answer may change at any time.", "no-store") };

export const PARSED = {
  "Mailkeep-Parsed": sometimes(
    "`false` if the message exceeds a limit and the answer may be incomplete; otherwise absent.",
    "false",
  ),
};

export const HINT = {
  "Mailkeep-Hint": sometimes(
    "A sentence for a person, where an operator in `q` was not understood.",
    "form: is not a search operator, so it was searched for as text; did you mean from:?",
  ),
};

export const FILE_NAME = {
  "Content-Disposition": always("The file's name (RFC 6266).", 'attachment; filename="invoice.pdf"'),
};

const CACHED = {
  "Cache-Control": always(
    "A stored mail never changes; `no-store` where a part is missing or flags are shown.",
    IMMUTABLE,
  ),
  ETag: sometimes("Send it back in If-None-Match to get 304.", `"${EXAMPLE_ID}"`),
};

export const CONTENT = {
  ...CACHED,
  "Accept-Ranges": sometimes("Parts can be asked for with Range.", "bytes"),
};

export const jsonAnswer = (description: string, schema: TSchema, headers: Headers = {}): ResponseSpec => ({
  description,
  headers,
  content: { "application/json": { schema } },
});

/** A file that is made while it is sent. */
export const downloadAnswer = (content: Content, headers: Headers = {}): ResponseSpec => ({
  description: "The file.",
  headers: { ...FILE_NAME, ...headers },
  content,
});

/** The answer to an error, with a real error as the example. */
export const problem = (
  description: string,
  { status, message, code, headers }: Problem,
  name?: string,
): Readonly<Record<number, ResponseSpec>> => ({
  [status]: {
    ...(name !== undefined && { name }),
    description,
    headers: Object.fromEntries(
      Object.entries(headers).map(([header, value]) => [
        header,
        { required: true, schema: Type.String({ examples: [value] }) },
      ]),
    ),
    content: { "application/json": { schema: ApiError, example: { error: message, code } } },
  },
});

const NOT_MODIFIED = {
  name: "NotModified",
  description: "The client's copy is current.",
  headers: { ...CONTENT, ...PARSED },
};

/** JSON about a mail, which clients may cache. */
export const cachedAnswers = (description: string, schema: TSchema) => ({
  200: jsonAnswer(description, schema, { ...CACHED, ...PARSED }),
  304: NOT_MODIFIED,
});

/** Bytes of a mail, which clients may cache and request in ranges. */
export const contentAnswers = (description: string, content: Content, headers: Headers = {}) => ({
  200: { description, headers: { ...CONTENT, ...headers }, content },
  206: {
    description: "The bytes asked for.",
    headers: { ...CONTENT, ...headers, "Content-Range": always("Which part this is.", "bytes 0-99/2048") },
    content,
  },
  304: NOT_MODIFIED,
  ...problem("The range lies outside of the content.", rangeOutside(2048), "RangeOutside"),
});

export const BAD_PARAMETER = problem(
  "A parameter is malformed or unknown, or the URL is malformed.",
  invalid("unread", "1", "true or false"),
  "BadParameter",
);

export const BAD_BODY = {
  ...problem("The body has a field that is wrong or missing, or the URL is malformed.", NO_OBJECT, "BadBody"),
  ...problem("The body is too large.", bodyTooLarge(1024 * 1024), "BodyTooLarge"),
};

export const UNKNOWN_INBOX = problem("No inbox has this name.", unknownInbox("ci-42"));

export const UNKNOWN_MESSAGE = problem(
  "No message has this id.",
  unknownMessage(EXAMPLE_ID),
  "UnknownMessage",
);

export const UNAUTHORIZED = problem(
  "Credentials are asked for (`--http-auth`), or those given are wrong.",
  NOT_AUTHORIZED,
  "Unauthorized",
);

export const COMMON_RESPONSES = {
  ...problem("The URL is malformed, or a parameter is not known here.", MALFORMED_PATH, "MalformedUrl"),
  ...problem(
    "A browser used a host name that Mailkeep does not know (`--allowed-host`), or the request came from a foreign " +
      "page, or the caller's role does not allow it (`forbidden`).",
    ORIGIN_NOT_ALLOWED,
    "Forbidden",
  ),
  ...problem("Mailkeep failed; its log says why.", INTERNAL_ERROR, "Failed"),
  ...problem("The store cannot be used, or the server is stopping.", STOPPING, "Unavailable"),
  ...problem("The disk is full.", new Problem(507, "disk_full", "The disk is full."), "DiskFull"),
};
