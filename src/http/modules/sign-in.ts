// Signs people in to the page with OpenID Connect, and signs them out. The session is a token in a cookie
// that no script can read. Browsers send it from pages of other sites only when somebody follows a link.
import { type Static, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import * as oauth from "oauth4webapi";
import type { Caller, Role } from "../../model/index.ts";
import { checked } from "../body.ts";
import { takeOnly } from "../parameters.ts";
import { Problem, quote } from "../problem.ts";
import type { Dependencies } from "./dependencies.ts";

export const SESSION_COOKIE = "mailkeep_session";

export const SIGN_IN_PATHS = {
  begin: "/auth/sign-in",
  callback: "/auth/callback",
  end: "/auth/sign-out",
} as const;

const word = Type.String();
/** Kept in a cookie until the browser comes back from the provider. `to` is the address to return to. */
const Pending = Type.Object({ state: word, nonce: word, verifier: word, to: word });
type Pending = Static<typeof Pending>;

const PENDING_COOKIE = "mailkeep_sign_in";
const PENDING_SECONDS = 600;
const SESSION_SECONDS = 12 * 3600;

const failed = (status: 400 | 502, sentence: string) => new Problem(status, "sign_in_failed", sentence);

export function signIn({ tokens, logger, basePath, now, originOf }: Dependencies, oidc: Oidc) {
  const redirectUri = (request: Request) => `${originOf(request)}${basePath}${SIGN_IN_PATHS.callback}`;

  function cookie(request: Request, name: string, value: string, maxAge: number): string {
    const secure = originOf(request).startsWith("https:");
    const options = { path: `${basePath}/`, maxAge, httpOnly: true, sameSite: "lax", secure } as const;
    return new Bun.Cookie(name, value, options).toString();
  }

  const goTo = (location: string, cookies: readonly string[]) =>
    new Response(null, {
      status: 302,
      headers: [
        ["location", location],
        ["cache-control", "no-store"],
        ...cookies.map((one): [string, string] => ["set-cookie", one]),
      ],
    });

  /** The provider's error message goes only to the log, because it may contain names of users. */
  async function asked<Answer>(step: Promise<Answer>): Promise<Answer> {
    try {
      return await step;
    } catch (error) {
      const reason = error instanceof Error ? `${error.message} ${error.cause ?? ""}`.trim() : String(error);
      logger.warn("sign-in failed", { reason });
      throw failed(502, "Signing in failed at the provider or on the way back; Mailkeep's log says why.");
    }
  }

  return new Elysia({ name: "sign-in" })
    .get(SIGN_IN_PATHS.begin, async ({ request }) => {
      takeOnly(request, ["to"]);
      const { url, pending } = await asked(oidc.begin(redirectUri(request)));
      const to = new URL(request.url).searchParams.get("to") ?? "";
      const kept = Buffer.from(JSON.stringify({ ...pending, to })).toString("base64url");
      return goTo(url, [cookie(request, PENDING_COOKIE, kept, PENDING_SECONDS)]);
    })
    .get(SIGN_IN_PATHS.callback, async ({ request }) => {
      const pending = pendingIn(request);
      if (pending === null)
        throw failed(
          400,
          `This sign-in began in another browser, or too long ago. Begin again at ${basePath}${SIGN_IN_PATHS.begin}.`,
        );
      const given = new URL(request.url).searchParams;
      const claims = await asked(oidc.finish(given, pending, redirectUri(request)));
      const caller = oidc.callerOf(claims);
      if (caller === null)
        throw new Problem(403, "forbidden", `No rule of --oidc-allow lets ${quote(nameIn(claims))} in.`);
      const session = await tokens.createSession(caller, new Date(now().getTime() + SESSION_SECONDS * 1000));
      logger.info("signed in", { name: caller.name, role: caller.role });
      return goTo(ownAddress(pending.to, originOf(request)) ?? `${basePath}/`, [
        cookie(request, SESSION_COOKIE, session, SESSION_SECONDS),
        cookie(request, PENDING_COOKIE, "", 0),
      ]);
    })
    .post(SIGN_IN_PATHS.end, async ({ request }) => {
      takeOnly(request);
      await tokens.endSession(cookieOf(request, SESSION_COOKIE) ?? "");
      return new Response(null, {
        status: 204,
        headers: { "cache-control": "no-store", "set-cookie": cookie(request, SESSION_COOKIE, "", 0) },
      });
    });
}

/** Null for no address, or one of another site: a link to the sign-in must not lead people to that site. */
function ownAddress(to: string, origin: string): string | null {
  const url = to === "" ? null : URL.parse(to, origin);
  return url?.origin === origin ? url.href : null;
}

function pendingIn(request: Request): Pending | null {
  try {
    const kept = Buffer.from(cookieOf(request, PENDING_COOKIE) ?? "", "base64url").toString();
    return checked(Pending, JSON.parse(kept));
  } catch {
    return null;
  }
}

export const cookieOf = ({ headers }: Request, name: string): string | null =>
  new Bun.CookieMap(headers.get("cookie") ?? "").get(name);

/** People whose claim matches the value get the role: in one inbox, or for all mail if `inbox` is null. */
export interface ClaimRule {
  readonly claim: string;
  /** `*` stands for any text. */
  readonly value: string;
  readonly role: Role;
  readonly inbox: string | null;
}

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined for a public client. */
  readonly clientSecret: string | undefined;
  readonly scope: string;
  readonly allow: readonly ClaimRule[];
}

type Claims = Readonly<Record<string, unknown>>;

const TIMEOUT_MS = 10_000;

/** The authorization code flow of OpenID Connect, with PKCE, state and nonce. */
export class Oidc {
  readonly #settings: OidcSettings;
  readonly #client: oauth.Client;
  #provider: Promise<oauth.AuthorizationServer> | null = null;

  constructor(settings: OidcSettings) {
    this.#settings = settings;
    this.#client = { client_id: settings.clientId };
  }

  /** Returns the provider's URL for the browser, and what `finish` needs later. */
  async begin(redirectUri: string): Promise<{ url: string; pending: Omit<Pending, "to"> }> {
    const { authorization_endpoint: endpoint } = await this.#discovered();
    if (endpoint === undefined) throw new Error("the provider has no authorization endpoint");
    const pending = {
      state: oauth.generateRandomState(),
      nonce: oauth.generateRandomNonce(),
      verifier: oauth.generateRandomCodeVerifier(),
    };
    const url = new URL(endpoint);
    const parameters = {
      client_id: this.#settings.clientId,
      redirect_uri: redirectUri,
      response_type: "code",
      scope: this.#settings.scope,
      code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier),
      code_challenge_method: "S256",
      state: pending.state,
      nonce: pending.nonce,
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return { url: url.href, pending };
  }

  /** The claims of the person who signed in. Rejects if state, nonce, code or signature is wrong. */
  async finish(given: URLSearchParams, pending: Omit<Pending, "to">, redirectUri: string): Promise<Claims> {
    const provider = await this.#discovered();
    const client = this.#client;
    const options = this.#requestOptions();
    const checked = oauth.validateAuthResponse(provider, client, given, pending.state);
    const response = await oauth.authorizationCodeGrantRequest(
      provider,
      client,
      this.#clientAuthentication(provider),
      checked,
      redirectUri,
      pending.verifier,
      options,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(provider, client, response, {
      expectedNonce: pending.nonce,
      requireIdToken: true,
    });
    const claims = oauth.getValidatedIdTokenClaims(tokens);
    if (claims === undefined) throw new Error("the provider sent no ID token");
    await oauth.validateApplicationLevelSignature(provider, response, options);
    if (provider.userinfo_endpoint === undefined) return claims;
    // Many providers put only `sub`, the id of the user, into the ID token.
    const answer = await oauth.userInfoRequest(provider, client, tokens.access_token, options);
    return { ...claims, ...(await oauth.processUserInfoResponse(provider, client, claims.sub, answer)) };
  }

  /** Null if no rule matches. If several match, only those with the strongest role count. */
  callerOf(claims: Claims): Caller | null {
    const matching = this.#settings.allow.filter((rule) => matches(rule, claims));
    const role = (["admin", "write", "read"] as const).find((one) =>
      matching.some((rule) => rule.role === one),
    );
    if (role === undefined) return null;
    const inboxes = matching.filter((rule) => rule.role === role).map(({ inbox }) => inbox);
    return {
      name: nameIn(claims),
      role,
      inboxes: inboxes.includes(null) ? null : [...new Set(inboxes.filter((inbox) => inbox !== null))],
    };
  }

  /** Contacts the provider on first use, because Mailkeep may start before the provider. */
  #discovered(): Promise<oauth.AuthorizationServer> {
    const issuer = new URL(this.#settings.issuer);
    this.#provider ??= oauth
      .discoveryRequest(issuer, this.#requestOptions())
      .then((response) => oauth.processDiscoveryResponse(issuer, response))
      .catch((error) => {
        this.#provider = null;
        throw error;
      });
    return this.#provider;
  }

  #clientAuthentication(provider: oauth.AuthorizationServer): oauth.ClientAuth {
    const { clientSecret } = this.#settings;
    if (clientSecret === undefined) return oauth.None();
    const { token_endpoint_auth_methods_supported: methods = ["client_secret_basic"] } = provider;
    return methods.includes("client_secret_basic")
      ? oauth.ClientSecretBasic(clientSecret)
      : oauth.ClientSecretPost(clientSecret);
  }

  #requestOptions() {
    return {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      // Plain HTTP is for a provider on a development machine.
      [oauth.allowInsecureRequests]: this.#settings.issuer.startsWith("http:"),
    };
  }
}

const nameIn = ({ preferred_username, email, sub }: Claims): string =>
  String(preferred_username ?? email ?? sub);

function matches({ claim, value }: ClaimRule, claims: Claims): boolean {
  // An address that the provider marks as not verified may be somebody else's. Without a mark it is trusted.
  const { email_verified: verified = true } = claims;
  if (claim === "email" && verified !== true && verified !== "true") return false;
  const pattern = new RegExp(`^${value.split("*").map(RegExp.escape).join(".*")}$`, "s");
  return [claims[claim]].flat().some((given) => typeof given === "string" && pattern.test(given));
}
