// A host with its port as people write it: `127.0.0.1:1025`, `[::1]:1025`.

export const hostAndPort = (host: string, port: number): string =>
  `${host.includes(":") ? `[${host}]` : host}:${port}`;
