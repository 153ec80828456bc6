// Where a request comes from, as far as its headers tell.
import { hostnameOf, isNamed } from "./trusted-host.ts";

/** The request's Origin when it is one of those named, otherwise null. */
export function namedOrigin({ headers }: Request, named: readonly string[]): string | null {
  const origin = headers.get("origin");
  if (origin === null || origin === "null") return null;
  return named.some((one) => one.toLowerCase() === origin.toLowerCase()) ? origin : null;
}

/** Whether a page sent this that is not ours. Clients that are no browsers send no Origin. */
export function isFromForeignPage({ headers }: Request, allowedHosts: readonly string[]): boolean {
  const origin = headers.get("origin");
  if (origin === null) {
    const site = headers.get("sec-fetch-site");
    return site === "cross-site" || site === "same-site";
  }
  // Behind a proxy the scheme may differ, and the name, too: then --allowed-host knows it.
  const originHost = /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]?.toLowerCase();
  if (originHost === undefined) return true;
  return originHost !== headers.get("host")?.toLowerCase() && !isNamed(hostnameOf(originHost), allowedHosts);
}

/** What browsers send of their own accord. A page may choose its User-Agent; its Accept-Language it can only empty. */
const SENT_BY_BROWSERS = ["origin", "sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest", "accept-language"];

export function isFromBrowser({ headers }: Request): boolean {
  if (SENT_BY_BROWSERS.some((name) => headers.has(name))) return true;
  return /^Mozilla\//i.test(headers.get("user-agent") ?? "");
}
