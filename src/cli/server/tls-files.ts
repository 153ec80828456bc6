// Certificates of SMTP and HTTPS: made at start, or read from files (PEM, RFC 7468). Errors are in
// our own words, because OpenSSL's messages do not say what to do.
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { ServeSettings } from "../../config/index.ts";
import type { Logger } from "../../lib/logger.ts";
import { systemReason } from "../../lib/system-error.ts";
import { createSelfSignedCertificate, type TlsKeyPair } from "../../smtp/index.ts";
import { StartError } from "../command/command.ts";

/** The error does not quote the path: some people pass the secret itself instead of a file. */
export function readSettingFile(path: string, what: string, flag: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new StartError(`cannot read the ${what} that ${flag} names: ${systemReason(error)}`, {
      cause: error,
    });
  }
}

type Protocol = "smtp" | "http";

export function tlsKeyPair(protocol: Protocol, settings: ServeSettings, now: Date): TlsKeyPair | undefined {
  const isSelfSigned = settings[`${protocol}Tls`] === "self-signed";
  return isSelfSigned
    ? createSelfSignedCertificate({ hosts: [settings.bind], now })
    : filedKeyPair(protocol, settings);
}

function filedKeyPair(protocol: Protocol, settings: ServeSettings): TlsKeyPair | undefined {
  const [certPath, keyPath] = [settings[`${protocol}TlsCert`], settings[`${protocol}TlsKey`]];
  if (certPath === undefined || keyPath === undefined) return undefined;
  const [certFlag, keyFlag] = [`--${protocol}-tls-cert`, `--${protocol}-tls-key`];
  const cert = readSettingFile(certPath, "certificate", certFlag);
  const key = readSettingFile(keyPath, "private key", keyFlag);
  if (!certificateIn(cert, certPath, certFlag).checkPrivateKey(privateKeyIn(key, keyPath, keyFlag))) {
    throw new StartError(`the private key in ${keyPath} does not match the certificate in ${certPath}`);
  }
  return { cert, key };
}

const LOOK_EVERY_MS = 2000;

/** Polls the files: renewal may replace a symbolic link in their path, which no watcher notices. */
export function watchKeyPair(
  settings: ServeSettings,
  logger: Logger,
  onRenewal: (pair: TlsKeyPair) => void,
): () => void {
  let current = filedKeyPair("http", settings);
  if (current === undefined || settings.httpTls === "self-signed") return () => {};
  let complaint = "";
  const look = () => {
    try {
      const found = filedKeyPair("http", settings);
      complaint = "";
      if (found === undefined || (found.cert === current?.cert && found.key === current.key)) return;
      onRenewal(found);
      current = found;
      logger.info("certificate renewed", { file: settings.httpTlsCert });
    } catch (error) {
      const { message } = error as Error;
      if (message !== complaint) logger.warn("certificate not renewed", { reason: message });
      complaint = message;
    }
  };
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return () => clearInterval(timer);
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs;

/** Returns the first certificate of a chain. Reads the others, too: one may be damaged. */
export const certificateIn = (text: string, path: string, flag: string): X509Certificate =>
  readPem(`${flag} needs a certificate in PEM format (-----BEGIN CERTIFICATE-----)`, path, () => {
    for (const [each] of text.matchAll(CERTIFICATE)) new X509Certificate(each);
    return new X509Certificate(text);
  });

export const privateKeyIn = (text: string, path: string, flag: string): KeyObject =>
  readPem(
    `${flag} needs a private key in PEM format (-----BEGIN PRIVATE KEY-----) without a passphrase`,
    path,
    () => createPrivateKey(text),
  );

function readPem<Read>(needed: string, path: string, read: () => Read): Read {
  try {
    return read();
  } catch (cause) {
    throw new StartError(`${needed}, but ${path} holds none, or a damaged one`, { cause });
  }
}
