export { MessageReader, type MessageReaderOptions } from "./message-reader.ts";
