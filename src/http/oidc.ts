// Signing in with OpenID Connect: the code flow with PKCE, state and nonce, and what the claims of a user let them do.
import * as oauth from "oauth4webapi";
import type { Caller, Role } from "../model/index.ts";

/** People whose claim has this value, or matches it, get the role; for one inbox, or for all mail. */
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
  /** A public client has none. */
  readonly clientSecret: string | undefined;
  readonly scope: string;
  readonly allow: readonly ClaimRule[];
}

/** What the browser must keep until it comes back from the provider. */
interface PendingSignIn {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

type Claims = Readonly<Record<string, unknown>>;

const TIMEOUT_MS = 10_000;

export class Oidc {
  readonly #settings: OidcSettings;
  readonly #client: oauth.Client;
  #provider: Promise<oauth.AuthorizationServer> | null = null;

  constructor(settings: OidcSettings) {
    this.#settings = settings;
    this.#client = { client_id: settings.clientId };
  }

  /** Where to send the browser. */
  async begin(redirectUri: string): Promise<{ url: string; pending: PendingSignIn }> {
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

  /** The person who signed in at the provider; rejects unless everything matches. */
  async finish(given: URLSearchParams, pending: PendingSignIn, redirectUri: string): Promise<Claims> {
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
    // Many providers put no more than the subject into the ID token.
    const answer = await oauth.userInfoRequest(provider, client, tokens.access_token, options);
    return { ...claims, ...(await oauth.processUserInfoResponse(provider, client, claims.sub, answer)) };
  }

  /** Null if no rule lets them in. If several match, only those with the strongest role count. */
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

  /** Asked for at the first sign-in: Mailkeep may start before the provider does. */
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
      // Only a provider on a development machine has an http: address.
      [oauth.allowInsecureRequests]: this.#settings.issuer.startsWith("http:"),
    };
  }
}

export const nameIn = ({ preferred_username, email, sub }: Claims): string =>
  String(preferred_username ?? email ?? sub);

function matches({ claim, value }: ClaimRule, claims: Claims): boolean {
  // If the provider does not verify addresses, anybody may enter one that is not theirs.
  const { email_verified: verified = true } = claims;
  if (claim === "email" && verified !== true && verified !== "true") return false;
  const parts = value.split("*").map((part) => part.replace(/[\\^$.+?()[\]{}|]/g, "\\$&"));
  const pattern = new RegExp(`^${parts.join(".*")}$`, "s");
  return [claims[claim]].flat().some((given) => typeof given === "string" && pattern.test(given));
}
