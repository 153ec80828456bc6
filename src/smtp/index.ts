export { createSelfSignedCertificate, type SelfSignedOptions, type TlsKeyPair } from "./certificate.ts";
export { CredentialSyntaxError, parseCredential, parseHtpasswd } from "./credential-syntax.ts";
export { type Credential, type Credentials, createCredentials } from "./credentials.ts";
export type { SmtpLimits } from "./limits.ts";
export type { IncomingMessage, Mailbox } from "./mailbox.ts";
export { type SmtpServer, type SmtpServerOptions, startSmtpServer } from "./server.ts";
export type { Clock } from "./ticker.ts";
