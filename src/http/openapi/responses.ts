// Answers and their headers, as the document describes them. Those that several routes share have a name: the document
// writes them once.
import { type TSchema, Type } from "@sinclair/typebox";
import { ApiError, Ulid } from "../../model/index.ts";
import { bodyTooLarge } from "../body.ts";
import { unknownInbox } from "../caller.ts";
import { attachmentPlainlyNamed, IMMUTABLE, rangeOutside, UNTRUSTED_HEADERS } from "../mail-content.ts";
import { invalid } from "../parameters.ts";
import {
  CHALLENGE,
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
  /** Written once in the document under this name, and referred to. */
  readonly name?: string;
  readonly description: string;
  readonly headers?: Headers;
  readonly content?: Content;
}

type Content = Readonly<Record<string, { readonly schema: TSchema; readonly example?: unknown }>>;
type Headers = Readonly<Record<string, Header>>;

interface Header {
  readonly description: string;
  readonly required?: true;
  readonly schema: TSchema;
}

export const [EXAMPLE_ID = ""] = Ulid.examples as string[];

/** A header that is sent only in some cases. */
const sometimes = (description: string, example: string): Header => ({
  description,
  schema: Type.String({ examples: [example] }),
});

export const always = (description: string, shown: string | TSchema): Header => ({
  description,
  required: true,
  schema: typeof shown === "string" ? Type.String({ examples: [shown] }) : shown,
});

export const NO_STORE = { "Cache-Control": always("The answer may change at any time.", "no-store") };

export const PARSED = {
  "Mailkeep-Parsed": sometimes(
    "`false` if the message exceeds a limit and the answer may be incomplete; otherwise absent.",
    "false",
  ),
};

/** For routes that take a search. */
export const HINT = {
  "Mailkeep-Hint": sometimes(
    "A sentence for a person, where an operator in `q` was not understood.",
    "form: is not a search operator, so it was searched for as text; did you mean from:?",
  ),
};

/** For content parsed from a mail that must not be cached. */
export const FRESH = { ...NO_STORE, ...PARSED };

export const UNTRUSTED = {
  "Content-Security-Policy": always(
    "The content may not run scripts or load anything.",
    UNTRUSTED_HEADERS["content-security-policy"],
  ),
  "X-Content-Type-Options": always("The type is not guessed.", "nosniff"),
};

export const FILE_NAME = {
  "Content-Disposition": always("The file's name (RFC 6266).", 'attachment; filename="invoice.pdf"'),
};

const ETAG = ["Send it back in If-None-Match to get 304.", `"${EXAMPLE_ID}"`] as const;
const ACCEPT_RANGES = ["Parts can be asked for with Range.", "bytes"] as const;

const CONTENT = {
  ...UNTRUSTED,
  "Cache-Control": always("A stored mail never changes.", IMMUTABLE),
  ETag: always(...ETAG),
  "Accept-Ranges": always(...ACCEPT_RANGES),
};

/** For a message as EML, which is cached, or as JSON, which is not. */
export const EXPORT_HEADERS = {
  ...UNTRUSTED,
  ...FILE_NAME,
  ...PARSED,
  "Cache-Control": always(
    "A stored mail never changes; `no-store` for JSON, which has its flags.",
    IMMUTABLE,
  ),
  ETag: sometimes(...ETAG),
  "Accept-Ranges": sometimes(...ACCEPT_RANGES),
};

/** For content parsed from a mail: it never changes, unless the parser ran out of time. */
const CACHED = {
  "Cache-Control": always("A stored mail never changes; `no-store` where a part is missing.", IMMUTABLE),
  ETag: sometimes(...ETAG),
  ...PARSED,
};

export const jsonAnswer = (
  description: string,
  schema: TSchema,
  headers: Headers = NO_STORE,
): ResponseSpec => ({ description, headers, content: { "application/json": { schema } } });

/** A file that is made while it is sent. */
export const downloadAnswer = (filename: string, content: Content, headers: Headers = {}): ResponseSpec => ({
  description: "The file.",
  headers: {
    ...UNTRUSTED,
    ...NO_STORE,
    "Content-Disposition": always("The file's name.", attachmentPlainlyNamed(filename)),
    ...headers,
  },
  content,
});

/** The answer to an error: its status and body, with an error that is really thrown as the example. */
export const problem = (
  description: string,
  { status, message, code }: Problem,
  { headers = {}, ...named }: Pick<ResponseSpec, "name" | "headers"> = {},
): Readonly<Record<number, ResponseSpec>> => ({
  [status]: {
    ...named,
    description,
    headers: { ...NO_STORE, ...headers },
    content: { "application/json": { schema: ApiError, example: { error: message, code } } },
  },
});

const CURRENT = "What the client has is current.";

/** JSON about a mail, which clients may cache. */
export const cachedAnswers = (description: string, schema: TSchema) => ({
  200: jsonAnswer(description, schema, CACHED),
  304: { name: "JsonNotModified", description: CURRENT, headers: CACHED },
});

/** Bytes of a mail, which clients may cache and request in ranges. */
export const contentAnswers = (description: string, content: Content, headers: Headers = {}) => ({
  200: { description, headers: { ...CONTENT, ...headers }, content },
  206: {
    description: "The bytes asked for.",
    headers: {
      ...CONTENT,
      ...headers,
      "Content-Range": always("Which part this is.", "bytes 0-99/2048"),
    },
    content,
  },
  304: { name: "NotModified", description: CURRENT, headers: CONTENT },
  ...problem("The range lies outside of the content.", rangeOutside(2048), {
    name: "RangeOutside",
    headers: { "Content-Range": always("How long the content is.", "bytes */2048") },
  }),
});

/** For a route with parameters. */
export const BAD_PARAMETER = problem(
  "A parameter is malformed or unknown, or the URL is malformed.",
  invalid("unread", "1", "true or false"),
  { name: "BadParameter" },
);

/** For every route but GET. */
export const BAD_BODY = {
  ...problem("The body does not fit, or the URL is malformed.", NO_OBJECT, { name: "BadBody" }),
  ...problem("The body is too large.", bodyTooLarge(1024 * 1024), { name: "BodyTooLarge" }),
};

export const UNKNOWN_INBOX = problem("No inbox has this name.", unknownInbox("ci-42"));

export const UNKNOWN_MESSAGE = problem("No message has this id.", unknownMessage(EXAMPLE_ID), {
  name: "UnknownMessage",
});

export const UNAUTHORIZED = problem(
  "Credentials are asked for (`--http-auth`), or those given are wrong.",
  NOT_AUTHORIZED,
  {
    name: "Unauthorized",
    headers: { "WWW-Authenticate": always("How to authenticate (RFC 7617).", CHALLENGE) },
  },
);

/** What every route may answer, whatever it does. */
export const COMMON_RESPONSES = {
  ...problem("The URL is malformed, or a parameter is not known here.", MALFORMED_PATH, {
    name: "MalformedUrl",
  }),
  ...problem(
    "A browser asks under a host name that is not known to be ours (`--allowed-host`), or from a foreign page; or " +
      "the role of the caller does not suffice (`forbidden`).",
    ORIGIN_NOT_ALLOWED,
    { name: "Forbidden" },
  ),
  ...problem("Mailkeep failed; its log says why.", INTERNAL_ERROR, { name: "Failed" }),
  ...problem("The store cannot be used, or the server is stopping.", STOPPING, { name: "Unavailable" }),
  ...problem("The disk is full.", new Problem(507, "disk_full", "The disk is full."), { name: "DiskFull" }),
};
