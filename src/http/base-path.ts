// Mailkeep below a path of a site that it shares with others, such as /mail. A proxy may pass that path on or take it
// off: a path below it is answered like the same path at the root, which stays available too.

type Fetch<Answer> = (request: Request) => Answer;

export function alsoBelow<Answer>(basePath: string, fetch: Fetch<Answer>): Fetch<Answer> {
  if (basePath === "") return fetch;
  return (request) => {
    const url = withoutBasePath(request.url, basePath);
    // In place: only the request that came in can be upgraded to a WebSocket. Its host may yet be made another.
    if (url !== request.url) Object.defineProperty(request, "url", { value: url, configurable: true });
    return fetch(request);
  };
}

/** What is asked for at the root of another port is answered as if it were below this path. */
export function movedBelow<Answer>(path: string, fetch: Fetch<Answer>): Fetch<Answer> {
  return (request) => {
    const start = startOfPath(request.url);
    const url = PROBES.test(pathOf(request.url))
      ? `${request.url.slice(0, start)}/api/v1/health`
      : request.url.slice(0, start) + path + request.url.slice(start);
    // In place, too.
    return fetch(Object.defineProperty(request, "url", { value: url, configurable: true }));
  };
}

/** Where Mailpit is asked for its health. */
const PROBES = /^\/(?:livez|readyz)$/;

function withoutBasePath(url: string, basePath: string): string {
  const path = pathOf(url);
  if (path !== basePath && !path.startsWith(`${basePath}/`)) return url;
  const start = startOfPath(url);
  const rest = url.slice(start + basePath.length);
  return url.slice(0, start) + (rest.startsWith("/") ? rest : `/${rest}`);
}

/** HTML of ours whose addresses all begin at the root, for that path. */
export const htmlBelow = (basePath: string, html: string): string => html.replaceAll('="/', `="${basePath}/`);

/** The start of the path in a request's URL. No URL parser: a strange Host must not make it fail. */
export const startOfPath = (url: string): number =>
  // The URL of a request without a Host is only a path.
  url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("://") + 3);

export function pathOf(url: string): string {
  const start = startOfPath(url);
  const end = url.indexOf("?", start);
  return end === -1 ? url.slice(start) : url.slice(start, end);
}
