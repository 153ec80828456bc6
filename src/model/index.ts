export { Attachment } from "./attachment.ts";
export { AuthResults } from "./auth-results.ts";
export { ApiError } from "./error.ts";
export { InboxEvent } from "./event.ts";
export { Message, MessageSummary, Ulid } from "./message.ts";
export type { ListQuery, MessageChange, MessageFilter } from "./query.ts";
