// Hosts as people write them: an IPv6 address stands in brackets where something follows it (RFC 3986, 3.2.2).

export const bracketed = (host: string): string => (host.includes(":") ? `[${host}]` : host);

export const unbracketed = (host: string): string => host.replace(/^\[(.*)\]$/, "$1");

/** `127.0.0.1:1025`, `[::1]:1025` */
export const hostAndPort = (host: string, port: number): string => `${bracketed(host)}:${port}`;
