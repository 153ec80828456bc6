// Entity tags (RFC 9110, 8.8.3 and 13.1): what a client already has is not sent again.

/** If-None-Match compares weakly: W/ makes no difference. */
export function hasCurrent(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.split(",").some((candidate) => opaque(candidate.trim()) === opaque(etag));
}

/** If-Range compares strongly. A date never matches, because nothing here has one. */
export const mayContinue = (ifRange: string | null, etag: string) =>
  ifRange === null || ifRange.trim() === etag;

const opaque = (etag: string) => etag.replace(/^W\//, "");
