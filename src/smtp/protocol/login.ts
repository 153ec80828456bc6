// The AUTH command (RFC 4954): one exchange between the command and the attempt it ends in.
import { asciiUpperCase } from "./ascii-case.ts";
import type { SessionPolicy } from "./policy.ts";
import type { Reply } from "./replies.ts";
import * as replies from "./replies.ts";
import {
  decodeResponse,
  encodeChallenge,
  type LoginAttempt,
  type SaslExchange,
  startExchange,
} from "./sasl.ts";

/** A reply with `next` asks for another line; one without ends the exchange; an attempt is to be judged. */
export type LoginStep =
  | { readonly reply: Reply; readonly next: SaslExchange | null }
  | { readonly attempt: LoginAttempt };

const end = (reply: Reply): LoginStep => ({ reply, next: null });

/** `AUTH mechanism [initial-response]`. */
export function startLogin(args: string, policy: SessionPolicy): LoginStep {
  const [name, initial, ...more] = args.split(/[ \t]+/);
  if (name === undefined || name === "" || more.length > 0) return end(replies.AUTH_SYNTAX);
  const upper = asciiUpperCase(name);
  const mechanism = policy.mechanisms.find((offered) => offered === upper);
  if (mechanism === undefined) return end(replies.UNKNOWN_MECHANISM);
  const exchange = startExchange(mechanism, policy.newChallenge);
  if (initial === undefined) return step(exchange, null);
  return initial === "=" ? step(exchange, "") : respond(exchange, initial);
}

/** A line that answers a challenge. */
export function continueLogin(exchange: SaslExchange, line: string): LoginStep {
  const text = line.trim();
  return text === "*" ? end(replies.AUTH_CANCELLED) : respond(exchange, text);
}

function respond(exchange: SaslExchange, text: string): LoginStep {
  const response = decodeResponse(text);
  return response === null ? end(replies.AUTH_MALFORMED) : step(exchange, response);
}

function step(exchange: SaslExchange, response: string | null): LoginStep {
  const result = exchange(response);
  switch (result.kind) {
    case "malformed":
      return end(replies.AUTH_MALFORMED);
    case "challenge":
      return { reply: replies.challengeReply(encodeChallenge(result.text)), next: exchange };
    case "attempt":
      return { attempt: result.attempt };
  }
}
