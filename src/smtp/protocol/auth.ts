// The AUTH command (RFC 4954) and its SASL mechanisms: PLAIN (RFC 4616), LOGIN, CRAM-MD5 (RFC 2195).
// A mechanism turns the client's responses into a login attempt, which is verified elsewhere.
import { asciiUpperCase } from "./command.ts";
import type { Reply } from "./replies.ts";
import * as replies from "./replies.ts";

export const MECHANISMS = ["PLAIN", "LOGIN", "CRAM-MD5"] as const;
export type Mechanism = (typeof MECHANISMS)[number];

export type LoginAttempt =
  | { readonly kind: "password"; readonly user: string; readonly password: string }
  | { readonly kind: "cram-md5"; readonly user: string; readonly challenge: string; readonly digest: string };

/**
 * Called with each decoded response of the client, or with null if AUTH came without an initial response. Returns the
 * next challenge, the finished attempt, or null if the response is malformed.
 */
export type SaslExchange = (response: string | null) => string | LoginAttempt | null;

function plain(): SaslExchange {
  return (response) => {
    if (response === null) return "";
    const [, user, password, ...more] = response.split("\0");
    if (user === undefined || password === undefined || more.length > 0) return null;
    return { kind: "password", user, password };
  };
}

function login(): SaslExchange {
  let user: string | null = null;
  return (response) => {
    if (response === null) return "Username:";
    if (user !== null) return { kind: "password", user, password: response };
    user = response;
    return "Password:";
  };
}

function cramMd5(newChallenge: () => string): SaslExchange {
  let asked: string | null = null;
  return (response) => {
    if (asked === null) {
      // The server speaks first, so there can be no initial response.
      if (response !== null) return null;
      asked = newChallenge();
      return asked;
    }
    const space = response?.lastIndexOf(" ") ?? -1;
    if (response === null || space < 0) return null;
    const digest = response.slice(space + 1).toLowerCase();
    if (!/^[\da-f]{32}$/.test(digest)) return null;
    return { kind: "cram-md5", user: response.slice(0, space), challenge: asked, digest };
  };
}

const EXCHANGES: Record<Mechanism, (newChallenge: () => string) => SaslExchange> = {
  PLAIN: plain,
  LOGIN: login,
  "CRAM-MD5": cramMd5,
};

const BASE64 = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/;

function decodeResponse(text: string): string | null {
  return BASE64.test(text) ? Buffer.from(text, "base64").toString("utf8") : null;
}

/** A reply and the exchange that reads the next line (null after a failure), or the finished attempt. */
export type LoginStep =
  | { readonly reply: Reply; readonly next: SaslExchange | null }
  | { readonly attempt: LoginAttempt };

const end = (reply: Reply): LoginStep => ({ reply, next: null });

interface LoginPolicy {
  readonly mechanisms: readonly Mechanism[];
  readonly newChallenge: () => string;
}

/** Takes the arguments of `AUTH mechanism [initial-response]`. */
export function startLogin(args: string, policy: LoginPolicy): LoginStep {
  const [name, initial, ...more] = args.split(/[ \t]+/);
  if (name === undefined || name === "" || more.length > 0) return end(replies.AUTH_SYNTAX);
  const upper = asciiUpperCase(name);
  const mechanism = policy.mechanisms.find((offered) => offered === upper);
  if (mechanism === undefined) return end(replies.UNKNOWN_MECHANISM);
  const exchange = EXCHANGES[mechanism](policy.newChallenge);
  if (initial === undefined) return step(exchange, null);
  return initial === "=" ? step(exchange, "") : respond(exchange, initial);
}

/** Includes mechanisms that the server does not offer, because clients may try them. */
const NAMED = /^AUTH[ \t]+(?:PLAIN|LOGIN|CRAM-MD5|DIGEST-MD5|XOAUTH2|OAUTHBEARER|NTLM|SCRAM-\S+)(?=[ \t]|$)/i;
export const HIDDEN = "(hidden)";

/** An AUTH command, without anything that may be a password. */
export function shownLogin(line: string): string {
  const [named] = NAMED.exec(line) ?? [];
  if (named === undefined) return `AUTH ${HIDDEN}`;
  return named === line ? line : `${named} ${HIDDEN}`;
}

/** An unknown command may be a misspelt AUTH, so only a short word at its start is shown. */
export function shownUnknown(line: string): string {
  const [word] = /^[A-Z]{1,10}(?=[ \t]|$)/i.exec(line) ?? [];
  if (word === undefined) return HIDDEN;
  return word === line ? line : `${word} ${HIDDEN}`;
}

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
  if (result === null) return end(replies.AUTH_MALFORMED);
  if (typeof result !== "string") return { attempt: result };
  return { reply: replies.challengeReply(Buffer.from(result).toString("base64")), next: exchange };
}
