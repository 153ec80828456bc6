import { expect, test } from "bun:test";
import { createPrivateKey } from "node:crypto";
import { certificateIn, privateKeyIn } from "../../src/cli/server/tls-files.ts";
import { createSelfSignedCertificate } from "../../src/smtp/index.ts";

const { cert, key } = createSelfSignedCertificate({ hosts: [], now: new Date() });
const DAMAGED_CERT = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

test.each([
  ["text", "hello"],
  ["nothing", ""],
  ["a private key", key],
  ["a damaged certificate", DAMAGED_CERT],
  ["a chain with a damaged certificate", cert + DAMAGED_CERT],
])("a file that holds no usable certificate is named: %s", (_, text) => {
  expect(() => certificateIn(text, "x.pem", "--smtp-tls-cert")).toThrow(
    "--smtp-tls-cert needs a certificate in PEM format (-----BEGIN CERTIFICATE-----), but x.pem holds none",
  );
});

test.each([
  ["text", "hello"],
  ["a certificate", cert],
  ["a damaged key", key.replace("\nM", "\nX")],
  [
    "an encrypted key",
    createPrivateKey(key)
      .export({ type: "pkcs8", format: "pem", cipher: "aes-128-cbc", passphrase: "secret" })
      .toString(),
  ],
])("a file that holds no usable private key is named: %s", (_, text) => {
  expect(() => privateKeyIn(text, "x.pem", "--smtp-tls-key")).toThrow(
    "--smtp-tls-key needs a private key in PEM format (-----BEGIN PRIVATE KEY-----) without a passphrase, but x.pem",
  );
});

test.each([
  ["files of their own", cert, key],
  ["one file, the key first", key + cert, key + cert],
  ["a chain", cert + cert, key],
])("certificate and key are read from %s", (_, certText, keyText) => {
  const certificate = certificateIn(certText, "cert.pem", "--http-tls-cert");
  expect(certificate.checkPrivateKey(privateKeyIn(keyText, "key.pem", "--http-tls-key"))).toBe(true);
});
