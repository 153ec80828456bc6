// The path of a request's URL, as it was sent. No URL parser: a strange Host must not make it fail.

/** Of a request without a Host there is nothing before it. */
export const startOfPath = (url: string): number =>
  url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("://") + 3);

export function pathOf(url: string): string {
  const start = startOfPath(url);
  const end = url.indexOf("?", start);
  return end === -1 ? url.slice(start) : url.slice(start, end);
}
