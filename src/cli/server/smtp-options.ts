// From settings to what the SMTP server wants: certificate, credentials, limits.
import { readFileSync } from "node:fs";
import type { ServeSettings } from "../../config/index.ts";
import {
  CredentialSyntaxError,
  type Credentials,
  createCredentials,
  createSelfSignedCertificate,
  parseCredential,
  parseHtpasswd,
  type SmtpLimits,
  type TlsKeyPair,
} from "../../smtp/index.ts";
import { StartError } from "../command.ts";
import { certificateIn, privateKeyIn } from "./tls-files.ts";

/** The path is not repeated: where a file of secrets is asked for, people give the secret itself. */
function readSettingFile(path: string, what: string, flag: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const reason = (error as Error).message.replace(/, \w+ '.*'$/s, "");
    throw new StartError(`cannot read the ${what} that ${flag} names: ${reason}`, { cause: error });
  }
}

export function tlsKeyPair(settings: ServeSettings, now: Date): TlsKeyPair | undefined {
  const { smtpTls, smtpTlsCert, smtpTlsKey, bind } = settings;
  if (smtpTls === "self-signed") return createSelfSignedCertificate({ hosts: [bind], now });
  if (smtpTlsCert === undefined || smtpTlsKey === undefined) return undefined;
  const cert = readSettingFile(smtpTlsCert, "certificate", "--smtp-tls-cert");
  const key = readSettingFile(smtpTlsKey, "private key", "--smtp-tls-key");
  if (!certificateIn(cert, smtpTlsCert).checkPrivateKey(privateKeyIn(key, smtpTlsKey))) {
    throw new StartError(`the private key ${smtpTlsKey} does not belong to the certificate ${smtpTlsCert}`);
  }
  return { cert, key };
}

/** Null accepts any credentials. */
export function smtpCredentials({ smtpAuth, smtpAuthFile }: ServeSettings): Credentials | null {
  if (smtpAuth.length === 0 && smtpAuthFile === undefined) return null;
  const given = wellFormed("--smtp-auth", () => smtpAuth.map(parseCredential));
  if (smtpAuthFile === undefined) return createCredentials(given);
  const text = readSettingFile(smtpAuthFile, "file of SMTP credentials", "--smtp-auth-file");
  const filed = wellFormed(`the file of SMTP credentials ${smtpAuthFile}`, () => parseHtpasswd(text));
  return createCredentials([...given, ...filed]);
}

function wellFormed<Value>(source: string, parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof CredentialSyntaxError)) throw error;
    throw new StartError(`${source} is not valid: ${error.message}`);
  }
}

export const smtpLimits = (settings: ServeSettings): SmtpLimits => ({
  maxMessageBytes: settings.maxMessageSize,
  maxRecipients: settings.maxRecipients,
  maxConnections: settings.maxConnections,
  maxConnectionsPerAddress: settings.maxConnectionsPerAddress,
  maxCommandBytes: settings.maxCommandLength,
  maxFruitlessCommands: settings.maxFruitlessCommands,
  idleTimeoutMs: settings.smtpIdleTimeout,
  messageTimeoutMs: settings.smtpMessageTimeout,
});
