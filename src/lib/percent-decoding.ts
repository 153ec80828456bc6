// Decodes percent-encoding (RFC 3986, 2.1) of clients and mails.

/** Null where it is malformed. */
export function percentDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
