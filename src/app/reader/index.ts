export { BoundedCache } from "./bounded-cache.ts";
export { MessageReader, type MessageReaderOptions } from "./message-reader.ts";
