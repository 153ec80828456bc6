// Bounds on what a mail may make us remember or do. Beyond them a mail is still kept and served raw.

export const MAX_DEPTH = 100;
export const MAX_PARTS = 1000;
/** Header bytes kept of the message, and of each part inside it. */
export const MAX_MESSAGE_HEADER_BYTES = 1024 * 1024;
export const MAX_PART_HEADER_BYTES = 64 * 1024;
export const MAX_FIELDS = 10_000;
/** Header bytes read of all parts together: their names are decoded, which takes longer than all else. */
export const MAX_ALL_PART_HEADER_BYTES = 256 * 1024;
/** RFC 2046 section 5.1.1 allows 70; senders exceed it. */
export const MAX_BOUNDARY_BYTES = 512;
export const MAX_SUBJECT_CHARS = 2000;
/** Of From and To as text, for the row: some 500 people. */
export const MAX_PEOPLE_CHARS = 16_384;
export const MAX_FILENAME_CHARS = 1000;
/** Of a field with parameters, such as Content-Type. */
export const MAX_STRUCTURED_CHARS = 64 * 1024;
/** A Content-ID stands on one line, which RFC 5322 section 2.1.1 keeps under this. */
export const MAX_CONTENT_ID_CHARS = 1000;
/** Parts that make up the text of a message. */
export const MAX_BODY_PARTS = 500;
/** HTML that is shown of a message: twice what is parsed of it. */
export const MAX_SAFE_HTML_CHARS = 16 * 1024 * 1024;
export const MAX_ADDRESSES_CHARS = 16 * 1024;
/** Where all the addresses of a field are asked for. */
export const MAX_FIELD_ADDRESSES = 10_000;
/** Fields that record what upstream servers found. */
export const MAX_AUTH_FIELDS = 1000;
