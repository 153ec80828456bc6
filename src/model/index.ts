// The schemas of the API, and the types derived from them.
export * from "./access.ts";
export * from "./assertion.ts";
export * from "./checks.ts";
export * from "./content.ts";
export * from "./delivery.ts";
export * from "./faults.ts";
export * from "./inbox.ts";
export * from "./mailbox.ts";
export * from "./message.ts";
export * from "./release.ts";
export { Closed } from "./schema.ts";
export * from "./send.ts";
export * from "./service.ts";
export * from "./transcript.ts";
