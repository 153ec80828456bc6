// Hosts as they are written: an IPv6 address stands in brackets where something follows it (RFC 3986, 3.2.2).
export const bracketed = (host: string): string => (host.includes(":") ? `[${host}]` : host);

export const unbracketed = (host: string): string => host.replace(/^\[(.*)\]$/, "$1");

export const hostAndPort = (host: string, port: number): string => `${bracketed(host)}:${port}`;
