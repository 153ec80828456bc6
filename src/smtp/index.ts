export type { Credentials } from "./credentials.ts";
export type { SmtpLimits } from "./limits.ts";
export type { IncomingMessage, Mailbox } from "./mailbox.ts";
export { type SmtpServer, type SmtpServerOptions, startSmtpServer, type TlsKeyPair } from "./server.ts";
