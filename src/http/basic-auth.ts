// Basic authentication (RFC 7617) in constant time.
import { createHash, timingSafeEqual } from "node:crypto";

export const CHALLENGE = 'Basic realm="Mailkeep", charset="UTF-8"';

/** `credentials` is `user:password`. */
export function basicAuth(credentials: string): (request: Request) => boolean {
  const expected = digest(`Basic ${Buffer.from(credentials).toString("base64")}`);
  return ({ headers }) => {
    const given = (headers.get("authorization") ?? "").replace(/^basic\s+/i, "Basic ");
    return timingSafeEqual(digest(given), expected);
  };
}

/** Digests have one length, so comparing them tells nothing about the secret's. */
const digest = (text: string) => createHash("sha256").update(text).digest();
