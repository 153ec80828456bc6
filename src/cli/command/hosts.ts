// The address for a host name: to listen on, to connect to, and to reach without a proxy.

/**
 * localhost may resolve to ::1 first, but only one address can be listened on: 127.0.0.1, which the documentation and
 * most clients use.
 */
export const listenAddress = (host: string): string => (/^localhost\.?$/i.test(host) ? "127.0.0.1" : host);

const WILDCARDS: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/** A wildcard address is not one to connect to. */
export const reachable = (host: string): string => WILDCARDS[host] ?? listenAddress(host);

/** Only this machine can connect to it. */
export const isLoopback = (host: string): boolean => /^(?:127\.|::1$)/.test(host);

const LOOPBACK = "localhost,127.0.0.1,::1";
const PROXIES = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The variables that keep requests to this machine away from the HTTP proxy of the environment, which cannot reach our
 * loopback; none without a proxy. Programs disagree about upper and lower case, so both are set.
 */
export function proxyExceptions(environment: Environment): Record<string, string> {
  const given = environment.no_proxy || environment.NO_PROXY;
  // A lone asterisk means every host, and within a list nothing.
  if (given === "*" || !PROXIES.some((name) => environment[name])) return {};
  const exceptions = given ? `${given},${LOOPBACK}` : LOOPBACK;
  return { no_proxy: exceptions, NO_PROXY: exceptions };
}
