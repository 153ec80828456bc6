// Percent-encoding (RFC 3986, 2.1) as others have written it.

/** Null where it is malformed. */
export function percentDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
