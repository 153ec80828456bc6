// Host names as settings name them: one, or `*.example.com` for every name below example.com, not for itself.

/** Both in lower case, without the root's dot. */
export const matchesHost = (pattern: string, host: string): boolean =>
  pattern.startsWith("*.")
    ? host.endsWith(pattern.slice(1)) && host.length >= pattern.length
    : pattern === host;
