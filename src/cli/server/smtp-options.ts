// From settings to what the SMTP server wants: certificate, credentials, limits.
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { ServeSettings } from "../../config/index.ts";
import { systemReason } from "../../lib/system-error.ts";
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
import { StartError } from "../command/command.ts";

/** The path is not repeated: where a file of secrets is asked for, people give the secret itself. */
function readSettingFile(path: string, what: string, flag: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new StartError(`cannot read the ${what} that ${flag} names: ${systemReason(error)}`, {
      cause: error,
    });
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

export const smtpLimits = (settings: ServeSettings, maxConnections: number): SmtpLimits => ({
  maxMessageBytes: settings.maxMessageSize,
  maxRecipients: settings.maxRecipients,
  maxConnections,
  // One client cannot keep the others out.
  maxConnectionsPerAddress: settings.maxConnectionsPerAddress ?? Math.ceil(settings.maxConnections / 2),
  maxCommandBytes: settings.maxCommandLength,
  maxFruitlessCommands: settings.maxFruitlessCommands,
  idleTimeoutMs: settings.smtpIdleTimeout,
  messageTimeoutMs: settings.smtpMessageTimeout,
});

// What is in the files of --smtp-tls-cert and --smtp-tls-key (PEM, RFC 7468). When it is not what the flag needs, the
// error names flag, file and what is wrong: what OpenSSL says of it helps nobody.

const CERTIFICATE = /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs;
const CERTIFICATE_BEGIN = "-----BEGIN CERTIFICATE-----";
const PRIVATE_KEY_BEGIN = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/;
const ENCRYPTED = /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m;

/** The server's certificate; those of a chain that follow it are checked too. */
export function certificateIn(text: string, path: string): X509Certificate {
  try {
    for (const [each] of text.matchAll(CERTIFICATE)) new X509Certificate(each);
    return new X509Certificate(text);
  } catch (error) {
    throw new StartError(
      `--smtp-tls-cert needs a certificate in PEM format (${CERTIFICATE_BEGIN}), but ${path} ${certificateFault(text)}`,
      { cause: error },
    );
  }
}

function certificateFault(text: string): string {
  if (text.includes(CERTIFICATE_BEGIN)) return "holds a damaged one";
  return PRIVATE_KEY_BEGIN.test(text) ? "holds a private key" : "holds none";
}

export function privateKeyIn(text: string, path: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch (error) {
    throw new StartError(
      `--smtp-tls-key needs a private key in PEM format (-----BEGIN PRIVATE KEY-----), but ${path} ${privateKeyFault(text)}`,
      { cause: error },
    );
  }
}

function privateKeyFault(text: string): string {
  if (ENCRYPTED.test(text)) return "holds one that is encrypted: store it without a passphrase";
  if (PRIVATE_KEY_BEGIN.test(text)) return "holds a damaged one";
  return text.includes(CERTIFICATE_BEGIN) ? "holds a certificate" : "holds none";
}
