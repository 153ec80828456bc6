// Where a request comes from and which host it asks for, judged by its headers and the proxies in front.
import { BlockList, isIP, isIPv6 } from "node:net";
import { matchesHost, plainAddress } from "../lib/hosts.ts";

export function namedOrigin({ headers }: Request, named: readonly string[]): string | null {
  const origin = headers.get("origin");
  if (origin === null || origin === "null") return null;
  return named.some((one) => one.toLowerCase() === origin.toLowerCase()) ? origin : null;
}

/**
 * Whether a page of another host or port sent the request. Looks at the headers Origin and
 * Sec-Fetch-Site, which only browsers send. An Origin whose host is in `allowedHosts` is not
 * foreign.
 */
export function isFromForeignPage({ headers }: Request, allowedHosts: readonly string[]): boolean {
  const origin = headers.get("origin");
  if (origin === null) {
    const site = headers.get("sec-fetch-site");
    return site === "cross-site" || site === "same-site";
  }
  // Behind a proxy the scheme may differ, so it does not count. If the proxy also changes the host, --allowed-host must
  // name the public host.
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

/**
 * Reserved by RFC 6761, 6762, 8375 or ICANN. "lan" is not reserved, but many networks use it, and
 * it does not exist in public DNS.
 */
const PRIVATE_SUFFIX = /\.(?:localhost|local|test|internal|home\.arpa|home|corp|lan)$/;

/**
 * Names that cannot be public: a top-level domain has only letters, unless it begins with "xn--".
 * GitLab gives service containers such names, for example `ghcr.io-owner-image`.
 */
const NO_TOP_LEVEL_DOMAIN = /\.(?!xn--)[a-z0-9]+[-_][a-z0-9_-]+$/;

/** The name in a Host header in lower case, without port, brackets and final dot; empty if malformed. */
export function hostnameOf(host: string): string {
  const match = /^(?:\[([0-9a-f:.%]+)\]|([^:/?#@[\]\\\s]*))(?::\d*)?$/i.exec(host);
  return (match?.[1] ?? match?.[2] ?? "").toLowerCase().replace(/\.$/, "");
}

/** Whether browsers may use this host name: either nobody can register it publicly, or the settings allow it. */
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

/** Forwarding headers count only from proxies that the settings name, because anybody could send such headers. */
export function trustedProxies(networks: readonly string[]) {
  const trusted = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  const isTrusted = (given: string) => {
    const address = plainAddress(given);
    return trusted.check(address, isIPv6(address) ? "ipv6" : "ipv4");
  };

  return {
    areAny: networks.length > 0,

    /** The nearest address that is not a proxy. Addresses further away may be forged. */
    clientOf({ headers }: Request, peer: string): string {
      if (networks.length === 0 || !isTrusted(peer)) return peer;
      const chain = [...listIn(headers.get("x-forwarded-for")), peer];
      return chain.findLast((address) => !isTrusted(address)) ?? peer;
    },

    /** Null if no proxy tells the scheme. */
    schemeOf({ headers }: Request, peer: string): "http" | "https" | null {
      const given = isTrusted(peer) ? listIn(headers.get("x-forwarded-proto")).at(-1)?.toLowerCase() : null;
      return given === "http" || given === "https" ? given : null;
    },

    /** Restores the client's Host. Changes the request in place, because only the original can become a WebSocket. */
    asAsked(request: Request, peer: string): Request {
      const host = isTrusted(peer) ? listIn(request.headers.get("x-forwarded-host")).at(-1) : undefined;
      if (host !== undefined) request.headers.set("host", host);
      return request;
    },
  };
}

const listIn = (header: string | null): string[] =>
  (header ?? "").split(",").flatMap((item) => item.trim() || []);
