// Where a request comes from and what host it asks for, as far as its headers tell.
import { isIP } from "node:net";
import { matchesHost } from "../lib/hosts.ts";

/** The request's Origin when it is one of those named, otherwise null. */
export function namedOrigin({ headers }: Request, named: readonly string[]): string | null {
  const origin = headers.get("origin");
  if (origin === null || origin === "null") return null;
  return named.some((one) => one.toLowerCase() === origin.toLowerCase()) ? origin : null;
}

/** Whether a page of another site sent this. Clients that are not browsers send no Origin. */
export function isFromForeignPage({ headers }: Request, allowedHosts: readonly string[]): boolean {
  const origin = headers.get("origin");
  if (origin === null) {
    const site = headers.get("sec-fetch-site");
    return site === "cross-site" || site === "same-site";
  }
  // Behind a proxy the scheme may differ, and the name, too: then --allowed-host must name it.
  const originHost = /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]?.toLowerCase();
  if (originHost === undefined) return true;
  return originHost !== headers.get("host")?.toLowerCase() && !isNamed(hostnameOf(originHost), allowedHosts);
}

/** Headers that browsers send by themselves. A page can change its User-Agent, but it cannot remove Accept-Language. */
const SENT_BY_BROWSERS = ["origin", "sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest", "accept-language"];

export function isFromBrowser({ headers }: Request): boolean {
  if (SENT_BY_BROWSERS.some((name) => headers.has(name))) return true;
  return /^Mozilla\//i.test(headers.get("user-agent") ?? "");
}

/** Reserved by RFC 6761, 6762, 8375 or ICANN; "lan" by nobody, but used in many networks and never delegated. */
const PRIVATE_SUFFIX = /\.(?:localhost|local|test|internal|home\.arpa|home|corp|lan)$/;

/**
 * Top-level domains are letters only, but for "xn--". GitLab derives names such as `ghcr.io-owner-image` for its
 * service containers.
 */
const NO_TOP_LEVEL_DOMAIN = /\.(?!xn--)[a-z0-9]+[-_][a-z0-9_-]+$/;

/** The name in a Host header, without port, brackets, case and the root's dot; empty when malformed. */
export function hostnameOf(host: string): string {
  const match = /^(?:\[([0-9a-f:.%]+)\]|([^:/?#@[\]\\\s]*))(?::\d*)?$/i.exec(host);
  return (match?.[1] ?? match?.[2] ?? "").toLowerCase().replace(/\.$/, "");
}

/**
 * Whether no stranger can point this name at this machine, because it cannot be in public DNS: addresses, names without
 * a dot, and names under top-level domains that do not exist.
 */
export function isTrustedHost(hostname: string, allowed: readonly string[]): boolean {
  if (hostname === "") return false;
  if (isIP(hostname) !== 0) return true;
  if (!hostname.includes(".")) return true;
  if (PRIVATE_SUFFIX.test(hostname)) return true;
  if (NO_TOP_LEVEL_DOMAIN.test(hostname)) return true;
  return isNamed(hostname, allowed);
}

const isNamed = (hostname: string, allowed: readonly string[]) =>
  allowed.some((pattern) => matchesHost(pattern.toLowerCase().replace(/\.$/, ""), hostname));
