// Host names that no stranger can point at this machine, for they are in no public DNS: addresses, names without
// a dot, and those under a top-level domain that does not exist.
import { isIP } from "node:net";
import { matchesHost } from "../lib/host-pattern.ts";

/** Reserved by RFC 6761, 6762, 8375 or ICANN; "lan" by nobody, but used in many networks and never delegated. */
const PRIVATE_SUFFIXES = [
  ".localhost",
  ".local",
  ".test",
  ".internal",
  ".home.arpa",
  ".home",
  ".corp",
  ".lan",
];

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

export function isTrustedHost(hostname: string, allowed: readonly string[]): boolean {
  if (hostname === "") return false;
  if (isIP(hostname) !== 0) return true;
  if (!hostname.includes(".")) return true;
  if (PRIVATE_SUFFIXES.some((suffix) => hostname.endsWith(suffix))) return true;
  if (NO_TOP_LEVEL_DOMAIN.test(hostname)) return true;
  return isNamed(hostname, allowed);
}

export const isNamed = (hostname: string, allowed: readonly string[]) =>
  allowed.some((pattern) => matchesHost(pattern.toLowerCase().replace(/\.$/, ""), hostname));
