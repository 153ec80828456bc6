// The address for a host name: to listen on, and to connect to.

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
