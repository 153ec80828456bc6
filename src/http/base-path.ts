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
  // Of a request without a Host there is nothing before it.
  url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("://") + 3);

export function pathOf(url: string): string {
  const start = startOfPath(url);
  const end = url.indexOf("?", start);
  return end === -1 ? url.slice(start) : url.slice(start, end);
}
