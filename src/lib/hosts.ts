// Hosts as people and settings write them. An IPv6 address is in brackets if something follows it (RFC 3986, 3.2.2).

export const bracketed = (host: string): string => (host.includes(":") ? `[${host}]` : host);

export const unbracketed = (host: string): string => host.replace(/^\[(.*)\]$/, "$1");

/** A socket that also takes IPv6 shows an IPv4 client as ::ffff:192.0.2.1. */
export const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, "");

export const hostAndPort = (host: string, port: number): string => `${bracketed(host)}:${port}`;

/** `*.example.com` matches all names below example.com, but not example.com. Takes lower case without a final dot. */
export const matchesHost = (pattern: string, host: string): boolean =>
  pattern.startsWith("*.")
    ? host.endsWith(pattern.slice(1)) && host.length >= pattern.length
    : pattern === host;

/** Patterns: `host`, `host:port`, `*.example.com`, `[::1]:25`. The host `*` is any host. */
export function matchesTarget(pattern: string, host: string, port: number): boolean {
  const [, name = pattern, allowedPort] = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(pattern) ?? [];
  if (allowedPort !== undefined && Number(allowedPort) !== port) return false;
  return name === "*" || matchesHost(normalized(name), normalized(host));
}

const normalized = (host: string) => unbracketed(host.toLowerCase()).replace(/\.$/, "");
