// Hosts as addresses: how they are written with a port, and how one that means "everywhere" is reached.

/** `127.0.0.1:1025`, `[::1]:1025` */
export const hostAndPort = (host: string, port: number): string =>
  `${host.includes(":") ? `[${host}]` : host}:${port}`;

const WILDCARDS: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/** A wildcard address is not one to connect to. */
export const reachable = (host: string): string => WILDCARDS[host] ?? host;
