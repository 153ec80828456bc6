// Whether the host of a link can be reached only from here: this machine, a private network, a service of Compose, a
// name that no public server has (RFC 6761, 6762, 8375). Expects hosts as the URL parser writes them: lower case,
// addresses in canonical form.

const PRIVATE_NAMES = /^[^.]+$|(^|\.)(localhost|localdomain|local|test|internal|lan|home|corp|home\.arpa)$/;
const PRIVATE_IPV4 = /^(0|10|127|169\.254|172\.(1[6-9]|2\d|3[01])|192\.168)\./;
/** Loopback, unspecified, unique local (fc00::/7), link-local (fe80::/10). */
const PRIVATE_IPV6 = /^\[(::1?\]|f[cd]..:|fe[89ab].:)/;

export function isLocalHost(host: string): boolean {
  if (host.startsWith("[")) return PRIVATE_IPV6.test(host) || PRIVATE_IPV4.test(mappedIpv4(host));
  if (/^[\d.]+$/.test(host)) return PRIVATE_IPV4.test(host);
  return PRIVATE_NAMES.test(host.replace(/\.$/, ""));
}

/** The IPv4 address within an IPv6 one: `[::ffff:7f00:1]` is 127.0.0.1. */
function mappedIpv4(host: string): string {
  const [, high, low] = /^\[::ffff:(\w+):(\w+)\]$/.exec(host) ?? [];
  if (high === undefined || low === undefined) return "";
  return [high, low]
    .map((half) => Number.parseInt(half, 16))
    .flatMap((half) => [half >> 8, half & 255])
    .join(".");
}
