// Bounds on what a mail may make us remember or do, as far as several files share them. Beyond them a mail is still
// kept and served raw.

export const MAX_PARTS = 1000;
export const MAX_MESSAGE_HEADER_BYTES = 1024 * 1024;
export const MAX_FIELDS = 10_000;
/** RFC 2046 section 5.1.1 allows 70; senders exceed it. */
export const MAX_BOUNDARY_BYTES = 512;
/** Of a field with parameters, such as Content-Type. */
export const MAX_STRUCTURED_CHARS = 64 * 1024;
export const MAX_ADDRESSES_CHARS = 16 * 1024;
