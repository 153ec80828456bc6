export { createSelfSignedCertificate, type TlsKeyPair } from "./certificate.ts";
export {
  type Credential,
  CredentialSyntaxError,
  type Credentials,
  createCredentials,
  parseCredential,
  parseHtpasswd,
} from "./credentials.ts";
export { type SmtpLimits, SmtpServer, type SmtpServerOptions } from "./server.ts";
export type { Clock } from "./timeouts.ts";
