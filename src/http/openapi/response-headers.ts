// Response headers that several routes share, as the document describes them.
import { type TSchema, Type } from "@sinclair/typebox";
import { CHALLENGE } from "../basic-auth.ts";
import { IMMUTABLE } from "../mail-content.ts";

export interface ResponseHeader {
  readonly description: string;
  readonly required?: true;
  readonly schema: TSchema;
}

/** A header that is not always there. */
const sometimes = (description: string, example: string): ResponseHeader => ({
  description,
  schema: Type.String({ examples: [example] }),
});

const always = (description: string, example: string): ResponseHeader => ({
  ...sometimes(description, example),
  required: true,
});

export const NO_STORE_HEADER = {
  "Cache-Control": always("The answer may change at any time.", "no-store"),
};

const ETAG = ["Send it back in If-None-Match to get 304.", '"01JCMZ5T0GQ3V4W5X6Y7Z8A9BC"'] as const;
const ACCEPT_RANGES = ["Parts can be asked for with Range.", "bytes"] as const;

/** Of what is read out of a mail: it never changes, unless the parser had no time for all of it. */
export const CACHED_HEADERS = {
  "Cache-Control": always("A stored mail never changes; `no-store` where a part is missing.", IMMUTABLE),
  ETag: sometimes(...ETAG),
};

export const CHALLENGE_HEADER = { "WWW-Authenticate": always("How to come in (RFC 7617).", CHALLENGE) };

export const RETRY_HEADER = { "Retry-After": always("Seconds after which to try again.", "5") };

/** Of a request that is no handshake, or one of another version (RFC 6455, 4.2.2). */
export const UPGRADE_HEADERS = {
  Upgrade: always("The protocol that is spoken here.", "websocket"),
  Connection: always("Belongs to Upgrade.", "upgrade"),
  "Sec-WebSocket-Version": always("The version that is spoken here.", "13"),
};

const UNTRUSTED_HEADERS = {
  "Content-Security-Policy": always("Nothing in it may run or load.", "default-src 'none'; sandbox"),
  "X-Content-Type-Options": always("The type is not guessed.", "nosniff"),
};

const FILE_NAME = {
  "Content-Disposition": always("The file's name (RFC 6266).", 'attachment; filename="invoice.pdf"'),
};

export const CONTENT_HEADERS = {
  ...UNTRUSTED_HEADERS,
  "Cache-Control": always("A stored mail never changes.", IMMUTABLE),
  ETag: always(...ETAG),
  "Accept-Ranges": always(...ACCEPT_RANGES),
};

export const DOWNLOAD_HEADERS = { ...CONTENT_HEADERS, ...FILE_NAME };

export const RANGE_HEADER = { "Content-Range": always("Which part this is.", "bytes 0-99/2048") };

export const UNSATISFIED_RANGE_HEADER = {
  "Content-Range": always("How long the content is.", "bytes */2048"),
};

/** Of the mailbox as a file. */
export const EXPORT_ALL_HEADERS = {
  ...UNTRUSTED_HEADERS,
  ...NO_STORE_HEADER,
  "Content-Disposition": always("The file's name.", 'attachment; filename="mailkeep.mbox"'),
};

/** Of a message as EML, which is cached, or as JSON, which is not. */
export const EXPORT_HEADERS = {
  ...UNTRUSTED_HEADERS,
  ...FILE_NAME,
  "Cache-Control": always(
    "A stored mail never changes; `no-store` for JSON, which has its flags.",
    IMMUTABLE,
  ),
  ETag: sometimes(...ETAG),
  "Accept-Ranges": sometimes(...ACCEPT_RANGES),
};

export const PARSED_HEADER = {
  "Mailkeep-Parsed": sometimes(
    "`false` where the message was too much to read whole and the answer may lack something; otherwise absent.",
    "false",
  ),
};
