// A slow, simple decoder of DATA to compare with. It reads the whole body at once.

/** The message and the bytes after it, or null if the end is missing. */
export function decodeWhole(body: Buffer): { message: Buffer; rest: Buffer } | null {
  const text = body.toString("latin1");
  // The start of the body counts as the start of a line.
  const end = text.startsWith(".\r\n") ? -2 : text.indexOf("\r\n.\r\n");
  if (end === -1) return null;
  const message = text.slice(0, end + 2).replace(/(^|\r\n)\./g, "$1");
  return { message: Buffer.from(message, "latin1"), rest: Buffer.from(text.slice(end + 5), "latin1") };
}
