// Host names as settings name them: one, or `*.example.com` for every name below example.com, not for itself.
import { unbracketed } from "./host-and-port.ts";

/** Both in lower case, without the root's dot. */
export const matchesHost = (pattern: string, host: string): boolean =>
  pattern.startsWith("*.")
    ? host.endsWith(pattern.slice(1)) && host.length >= pattern.length
    : pattern === host;

/** `host`, `host:port`, `*.example.com`, `[::1]:25`; `*` is any host. */
export function matchesTarget(pattern: string, host: string, port: number): boolean {
  const [, name = pattern, allowedPort] = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(pattern) ?? [];
  if (allowedPort !== undefined && Number(allowedPort) !== port) return false;
  return name === "*" || matchesHost(normalized(name), normalized(host));
}

const normalized = (host: string) => unbracketed(host.toLowerCase()).replace(/\.$/, "");
