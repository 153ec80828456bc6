// Certificates of SMTP and HTTPS: made at start, or read from files (PEM, RFC 7468). Errors name the flag, the file and
// the mistake, because OpenSSL's own messages help nobody.
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { ServeSettings } from "../../config/index.ts";
import type { Logger } from "../../lib/logger.ts";
import { systemReason } from "../../lib/system-error.ts";
import { createSelfSignedCertificate, type TlsKeyPair } from "../../smtp/index.ts";
import { StartError } from "../command/command.ts";

/** Does not quote the path: people sometimes pass the secret itself instead of a file. */
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
    throw new StartError(`the private key ${keyPath} does not belong to the certificate ${certPath}`);
  }
  return { cert, key };
}

const LOOK_EVERY_MS = 10_000;

/**
 * Reports a renewed HTTPS certificate as soon as certificate and key match. The files are polled: tools that renew them
 * often replace links above them, which file watchers do not notice.
 */
export function watchKeyPair(
  settings: ServeSettings,
  logger: Logger,
  onRenewal: (pair: TlsKeyPair) => void,
  everyMs = LOOK_EVERY_MS,
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
  const timer = setInterval(look, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs;
const CERTIFICATE_BEGIN = "-----BEGIN CERTIFICATE-----";
const PRIVATE_KEY_BEGIN = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/;
const ENCRYPTED = /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m;

/** The server's certificate; those of a chain that follow it are checked too. */
export function certificateIn(text: string, path: string, flag: string): X509Certificate {
  try {
    for (const [each] of text.matchAll(CERTIFICATE)) new X509Certificate(each);
    return new X509Certificate(text);
  } catch (error) {
    throw new StartError(
      `${flag} needs a certificate in PEM format (${CERTIFICATE_BEGIN}), but ${path} ${certificateFault(text)}`,
      { cause: error },
    );
  }
}

function certificateFault(text: string): string {
  if (text.includes(CERTIFICATE_BEGIN)) return "holds a damaged one";
  return PRIVATE_KEY_BEGIN.test(text) ? "holds a private key" : "holds none";
}

export function privateKeyIn(text: string, path: string, flag: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch (error) {
    throw new StartError(
      `${flag} needs a private key in PEM format (-----BEGIN PRIVATE KEY-----), but ${path} ${privateKeyFault(text)}`,
      { cause: error },
    );
  }
}

function privateKeyFault(text: string): string {
  if (ENCRYPTED.test(text)) return "holds one that is encrypted: store it without a passphrase";
  if (PRIVATE_KEY_BEGIN.test(text)) return "holds a damaged one";
  return text.includes(CERTIFICATE_BEGIN) ? "holds a certificate" : "holds none";
}
