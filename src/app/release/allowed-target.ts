// `--release-allow`: host, host:port, *.example.com, [::1]:25. An empty list allows every target.
import { unbracketed } from "../../lib/host-and-port.ts";
import { matchesHost } from "../../lib/host-pattern.ts";

export function isAllowedTarget(allowed: readonly string[], host: string, port: number): boolean {
  return allowed.length === 0 || allowed.some((pattern) => matches(pattern, normalized(host), port));
}

function matches(pattern: string, host: string, port: number): boolean {
  const { name, port: allowedPort } = splitPort(pattern);
  if (allowedPort !== null && allowedPort !== port) return false;
  return name === "*" || matchesHost(name, host);
}

function splitPort(pattern: string): { name: string; port: number | null } {
  const match = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(pattern);
  if (!match?.[1]) return { name: normalized(pattern), port: null };
  return { name: normalized(match[1]), port: match[2] === undefined ? null : Number(match[2]) };
}

const normalized = (host: string) => unbracketed(host.toLowerCase()).replace(/\.$/, "");
