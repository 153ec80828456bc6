// What is in the files of --smtp-tls-cert and --smtp-tls-key (PEM, RFC 7468). When it is not what the flag needs, the
// error names flag, file and what is wrong: what OpenSSL says of it helps nobody.
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { StartError } from "../command.ts";

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
