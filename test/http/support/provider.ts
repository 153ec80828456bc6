// A real OpenID Connect provider on a free port, and the parts of a browser that signing in needs.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";

export const CLIENT = { clientId: "mailkeep", clientSecret: "a secret of the client" };

/** Any user may sign in with any password. `accounts` holds the claims of each user by name. */
export async function startProvider(accounts: Readonly<Record<string, Record<string, unknown>>>) {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let hasKeys = true;
  return {
    issuer,
    /** Must be called before the first sign-in. The client's address is known only when the client listens. */
    serve: (redirectUri: string) => {
      const { clientId: client_id, clientSecret: client_secret } = CLIENT;
      const provider = new Provider(issuer, {
        clients: [{ client_id, client_secret, redirect_uris: [redirectUri] }],
        claims: { openid: ["sub"], email: ["email", "email_verified"], groups: ["groups"] },
        cookies: { keys: ["a key of the tests"] },
        findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub, ...accounts[sub] }) }),
      });
      const answer = provider.callback();
      server.on("request", (request, response) => {
        if (hasKeys || request.url !== "/jwks") return void answer(request, response);
        response.setHeader("content-type", "application/json").end('{ "keys": [] }');
      });
    },
    /** Stops publishing the key that signs ID tokens. */
    withdrawKeys: () => {
      hasKeys = false;
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Keeps cookies by origin and follows redirects one by one. */
export class Browser {
  readonly #cookies = new Map<string, Map<string, string>>();
  /** Every `Set-Cookie` so far, with its attributes. */
  readonly setCookies: string[] = [];

  async ask(address: string, init: RequestInit = {}): Promise<Response> {
    const { origin } = new URL(address);
    const jar = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { accept: "text/html", ...(cookie !== "" && { cookie }), ...init.headers };
    const response = await fetch(address, { ...init, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) {
      this.setCookies.push(line);
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "") jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }

  /** Follows redirects and fills in the provider's forms as this user. Returns the last page. */
  async signIn(address: string, user: string): Promise<{ url: string; response: Response }> {
    let url = address;
    let response = await this.ask(url);
    for (let step = 0; step < 20; step++) {
      const location = response.headers.get("location");
      if (location !== null) {
        url = new URL(location, url).href;
        response = await this.ask(url);
        continue;
      }
      if (!url.includes("/interaction/")) return { url, response };
      const page = await response.text();
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? "";
      const action = /action="([^"]+)"/.exec(page)?.[1] ?? url;
      url = new URL(action, url).href;
      const body = new URLSearchParams({ prompt, login: user, password: "any" });
      response = await this.ask(url, { method: "POST", body });
    }
    throw new Error(`signing in does not end: ${url}`);
  }
}
