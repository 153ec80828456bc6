// Which address stands for a name: to listen on, and to be reached at.

/** It may be ::1 first, and only one is listened on: the one that the documentation and most clients use. */
export const listenAddress = (host: string): string => (/^localhost\.?$/i.test(host) ? "127.0.0.1" : host);

const WILDCARDS: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/** A wildcard address is not one to connect to. */
export const reachable = (host: string): string => WILDCARDS[host] ?? listenAddress(host);

/** Nobody but this machine comes in by it. */
export const isLoopback = (host: string): boolean => /^(?:127\.|::1$)/.test(host);
