// From settings to what the SMTP server wants: credentials and limits.
import type { ServeSettings } from "../../config/index.ts";
import {
  CredentialSyntaxError,
  type Credentials,
  createCredentials,
  parseCredential,
  parseHtpasswd,
  type SmtpLimits,
} from "../../smtp/index.ts";
import { StartError } from "../command/command.ts";
import { readSettingFile } from "./tls-files.ts";

/** Null accepts any credentials. */
export function smtpCredentials({ smtpAuth, smtpAuthFile }: ServeSettings): Credentials | null {
  if (smtpAuth.length === 0 && smtpAuthFile === undefined) return null;
  const given = wellFormed("--smtp-auth", () => smtpAuth.map(parseCredential));
  if (smtpAuthFile === undefined) return createCredentials(given);
  const text = readSettingFile(smtpAuthFile, "file of SMTP credentials", "--smtp-auth-file");
  const filed = wellFormed(`the file of SMTP credentials ${smtpAuthFile}`, () => parseHtpasswd(text));
  return createCredentials([...given, ...filed]);
}

export function wellFormed<Value>(source: string, parse: () => Value): Value {
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
  // One client must not use up all connections.
  maxConnectionsPerAddress: settings.maxConnectionsPerAddress ?? Math.ceil(settings.maxConnections / 2),
  maxCommandBytes: settings.maxCommandLength,
  maxFruitlessCommands: settings.maxFruitlessCommands,
  idleTimeoutMs: settings.smtpIdleTimeout,
  messageTimeoutMs: settings.smtpMessageTimeout,
});
