// Response headers that several routes share, as the document describes them.
import { Type } from "@sinclair/typebox";
import type { ResponseHeader } from "./operation.ts";

const header = (description: string, example: string): ResponseHeader => ({
  description,
  schema: Type.String({ examples: [example] }),
});

export const NO_STORE_HEADER = {
  "Cache-Control": header("The answer may change at any time.", "no-store"),
};

const IMMUTABLE_HEADERS = {
  "Cache-Control": header("A stored mail never changes.", "private, max-age=31536000, immutable"),
  ETag: header("Send it back in If-None-Match to get 304.", '"01JCMZ5T0GQ3V4W5X6Y7Z8A9BC"'),
};

export const CACHED_HEADERS = IMMUTABLE_HEADERS;

export const UNTRUSTED_CONTENT_HEADERS = {
  ...IMMUTABLE_HEADERS,
  "Content-Security-Policy": header("Nothing in it may run or load.", "default-src 'none'; sandbox"),
  "X-Content-Type-Options": header("The type is not guessed.", "nosniff"),
  "Accept-Ranges": header("Parts can be asked for with Range.", "bytes"),
};

export const DOWNLOAD_HEADERS = {
  ...UNTRUSTED_CONTENT_HEADERS,
  "Content-Disposition": header("The file's name (RFC 6266).", 'attachment; filename="invoice.pdf"'),
};

export const RANGE_HEADERS = {
  ...DOWNLOAD_HEADERS,
  "Content-Range": header("Which part this is.", "bytes 0-99/2048"),
};

export const PARSED_HEADER = {
  "Mailkeep-Parsed": header(
    "`false` where the message was too much to read whole and the answer may lack something; otherwise absent.",
    "false",
  ),
};
