// Serves Mailkeep below a path of a shared site, such as /mail. The proxy in front may keep or remove that path.

type Fetch<Answer> = (request: Request) => Answer;

export function alsoBelow<Answer>(basePath: string, fetch: Fetch<Answer>): Fetch<Answer> {
  if (basePath === "") return fetch;
  return (request) => {
    const path = pathOf(request.url);
    if (path !== basePath && !path.startsWith(`${basePath}/`)) return fetch(request);
    const start = startOfPath(request.url);
    const rest = request.url.slice(start + basePath.length);
    const slash = rest.startsWith("/") ? "" : "/";
    return fetch(withUrl(request, request.url.slice(0, start) + slash + rest));
  };
}

/** Changes the request in place: only the original can be upgraded to a WebSocket. */
export function withUrl(request: Request, url: string): Request {
  return Object.defineProperty(request, "url", { value: url, configurable: true });
}

/** For a server on a port of its own: answers requests at the root as if they were below this path. */
export function movedBelow<Answer>(path: string, fetch: Fetch<Answer>): Fetch<Answer> {
  return (request) => {
    const start = startOfPath(request.url);
    const url = PROBES.test(pathOf(request.url))
      ? `${request.url.slice(0, start)}/api/v1/health`
      : request.url.slice(0, start) + path + request.url.slice(start);
    return fetch(withUrl(request, url));
  };
}

/** Mailpit's paths for health checks. */
const PROBES = /^\/(?:livez|readyz)$/;

/** Puts the base path before every address that begins with a slash. Only for our own HTML. */
export const htmlBelow = (basePath: string, html: string): string => html.replaceAll('="/', `="${basePath}/`);

/** The index of the path in a request's URL. A URL parser would fail on a strange Host. */
export const startOfPath = (url: string): number =>
  // The URL of a request without a Host is only a path.
  url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("://") + 3);

export function pathOf(url: string): string {
  const start = startOfPath(url);
  const end = url.indexOf("?", start);
  return end === -1 ? url.slice(start) : url.slice(start, end);
}
