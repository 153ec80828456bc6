// An error for the client: status, code and sentence.
import { near } from "../lib/text.ts";

export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = "Problem";
  }
}

export const badRequest = (code: string, message: string) => new Problem(400, code, message);

export const notFound = (code: string, message: string) => new Problem(404, code, message);

const unauthorized = (message: string, challenge: string) =>
  new Problem(401, "unauthorized", message, { "WWW-Authenticate": challenge });

export const invalidField = (field: string, reason: string) =>
  badRequest("invalid_body", `Field ${field} of the request body ${reason.replace(/[^.?]$/, "$&.")}`);

export const INVALID_JSON = badRequest("invalid_json", "The request body is not valid JSON.");

export const NO_OBJECT = badRequest("invalid_body", "The request body must be a JSON object.");

export const MALFORMED_PATH = badRequest("malformed_url", "The path has a malformed percent-encoding.");

export const NOT_AUTHORIZED = unauthorized(
  "The credentials are missing or wrong. Mailkeep needs a user name and password, or a token.",
  'Basic realm="Mailkeep", charset="UTF-8"',
);

/** The challenge does not offer Basic: browsers would ask for a password, but people sign in at the provider. */
export const NOT_SIGNED_IN = unauthorized(
  "Mailkeep requires a token here. To sign in, open its web page.",
  'Bearer realm="Mailkeep"',
);

export const ACCESS_ENDED = unauthorized(
  "The token or session of this request is not valid any more.",
  'Bearer realm="Mailkeep"',
);

export const ORIGIN_NOT_ALLOWED = new Problem(
  403,
  "origin_not_allowed",
  "A page from another origin may not do this. Start Mailkeep with --cors-origin to permit it.",
);

export const INTERNAL_ERROR = new Problem(
  500,
  "internal_error",
  "The request failed inside Mailkeep; its log says why.",
);

export const STOPPING = new Problem(503, "stopping", "Mailkeep is stopping.");

export const unknownMessage = (id: string) =>
  notFound("unknown_message", `No message has the id ${quote(id)}.`);

/** Awaits a message or something read from it; 404 if the message is unknown or was just deleted. */
export async function known<Found>(id: string, read: Promise<Found | null>): Promise<Found> {
  const found = await read;
  if (found === null) throw unknownMessage(id);
  return found;
}

export const unknownPath = () => notFound("unknown_path", "There is nothing at this path.");

/** The end of a sentence about an unknown name: the name that was meant, or else all. */
export function knownNames(given: string, known: readonly string[]): string {
  if (known.length === 0) return "none is allowed.";
  const meant = near(given, known);
  return meant === null ? `known: ${known.join(", ")}.` : `did you mean ${meant}?`;
}

const MAX_QUOTED_CHARACTERS = 80;

/** Something the client sent, made short and safe to quote in a sentence. */
export function quote(given: string): string {
  const short = given.length > MAX_QUOTED_CHARACTERS ? `${given.slice(0, MAX_QUOTED_CHARACTERS)}…` : given;
  return JSON.stringify(short.toWellFormed());
}
