export { type BodyParser, MessageReader, type MessageReaderOptions } from "./message-reader.ts";
