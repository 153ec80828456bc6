// How a host that means "everywhere" is reached.

const WILDCARDS: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/** A wildcard address is not one to connect to. */
export const reachable = (host: string): string => WILDCARDS[host] ?? host;
