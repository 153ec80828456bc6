// Host names and addresses: to listen on, to connect to, and to reach without a proxy.

/** A server listens on one address. For localhost we take 127.0.0.1, as most clients do. */
export const listenAddress = (host: string): string => (/^localhost\.?$/i.test(host) ? "127.0.0.1" : host);

const WILDCARDS: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/** The address to connect to. A wildcard such as 0.0.0.0 is only for listening. */
export const reachable = (host: string): string => WILDCARDS[host] ?? listenAddress(host);

/** Whether only this machine can connect to the address. */
export const isLoopback = (host: string): boolean => /^(?:127\.|::1$)/.test(host);

const LOOPBACK = "localhost,127.0.0.1,::1";
const PROXIES = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];

type Environment = Readonly<Record<string, string | undefined>>;

/** Keeps local requests away from the HTTP proxy. Some programs read no_proxy, others NO_PROXY. */
export function proxyExceptions(environment: Environment): Record<string, string> {
  const given = environment.no_proxy || environment.NO_PROXY;
  // "*" already keeps every host away from the proxy.
  if (given === "*" || !PROXIES.some((name) => environment[name])) return {};
  const exceptions = given ? `${given},${LOOPBACK}` : LOOPBACK;
  return { no_proxy: exceptions, NO_PROXY: exceptions };
}
