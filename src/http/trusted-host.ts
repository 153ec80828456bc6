// Host names that no stranger can point at this machine: addresses, names without a dot, reserved suffixes.
import { isIP } from "node:net";

const PRIVATE_SUFFIXES = [".localhost", ".local", ".test", ".internal", ".lan", ".home.arpa"];

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
  return isNamed(hostname, allowed);
}

export const isNamed = (hostname: string, allowed: readonly string[]) =>
  allowed.some((pattern) => matchesHost(pattern.toLowerCase().replace(/\.$/, ""), hostname));

/** `*.example.com` matches every name below example.com, not example.com itself. */
function matchesHost(pattern: string, hostname: string): boolean {
  if (pattern.startsWith("*."))
    return hostname.endsWith(pattern.slice(1)) && hostname.length >= pattern.length;
  return pattern === hostname;
}
