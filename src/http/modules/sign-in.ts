// Signs people in to the page with OpenID Connect, and out. The session is a token in a cookie that no script reads
// and no foreign page sends along.
import { type Static, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { cookieOf, SESSION_COOKIE, SIGN_IN_PATHS } from "../authenticate.ts";
import { checked } from "../body.ts";
import { nameIn, type Oidc } from "../oidc.ts";
import { takeOnly } from "../parameters.ts";
import { Problem, quote } from "../problem.ts";
import type { Dependencies } from "./dependencies.ts";

const word = Type.String();
/** `to` is the address to return to. */
const Pending = Type.Object({ state: word, nonce: word, verifier: word, to: word });

const PENDING_COOKIE = "mailkeep_sign_in";
const PENDING_SECONDS = 600;
const SESSION_SECONDS = 12 * 3600;

const failed = (status: 400 | 502, sentence: string) => new Problem(status, "sign_in_failed", sentence);

type Parts = Pick<Dependencies, "tokens" | "logger" | "basePath" | "now" | "originOf">;

export function signIn({ tokens, logger, basePath, now, originOf }: Parts, oidc: Oidc) {
  const redirectUri = (request: Request) => `${originOf(request)}${basePath}${SIGN_IN_PATHS.callback}`;

  function cookie(request: Request, name: string, value: string, maxAge: number): string {
    const isSecure = originOf(request).startsWith("https:");
    return `${name}=${value}; Path=${basePath}/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
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

  /** Details go only to the log, because the provider's words may name its users. */
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
          `This did not begin in this browser, or too long ago: ${basePath}${SIGN_IN_PATHS.begin}`,
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

/** Null for an address of another site: a link to us must not lead there. */
function ownAddress(to: string, origin: string): string | null {
  const url = to === "" ? null : URL.parse(to, origin);
  return url?.origin === origin ? url.href : null;
}

function pendingIn(request: Request): Static<typeof Pending> | null {
  try {
    const kept = Buffer.from(cookieOf(request, PENDING_COOKIE) ?? "", "base64url").toString();
    return checked(Pending, JSON.parse(kept));
  } catch {
    return null;
  }
}
