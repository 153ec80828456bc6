import { describe, expect, test } from "bun:test";
import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { certificateIn, privateKeyIn } from "../../src/cli/server/tls-files.ts";
import { createSelfSignedCertificate } from "../../src/smtp/index.ts";

const { cert, key } = createSelfSignedCertificate({ hosts: [], now: new Date() });
const { privateKey: rsaKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const locked = { format: "pem", cipher: "aes-128-cbc", passphrase: "secret" } as const;
const DAMAGED_CERT = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

const NEEDS_CERT =
  "--smtp-tls-cert needs a certificate in PEM format (-----BEGIN CERTIFICATE-----), but x.pem";
const NEEDS_KEY = "--smtp-tls-key needs a private key in PEM format (-----BEGIN PRIVATE KEY-----), but x.pem";
const IS_LOCKED = "holds one that is encrypted: store it without a passphrase";

describe("a file that holds no usable certificate is named, with what it holds", () => {
  test.each([
    ["text", "hello", "holds none"],
    ["nothing", "", "holds none"],
    ["a private key", key, "holds a private key"],
    ["a damaged certificate", DAMAGED_CERT, "holds a damaged one"],
    ["a chain with a damaged certificate", cert + DAMAGED_CERT, "holds a damaged one"],
  ])("%s", (_, text, fault) => {
    expect(() => certificateIn(text, "x.pem", "--smtp-tls-cert")).toThrow(
      new Error(`${NEEDS_CERT} ${fault}`),
    );
  });
});

describe("a file that holds no usable private key is named, with what it holds", () => {
  test.each([
    ["text", "hello", "holds none"],
    ["a certificate", cert, "holds a certificate"],
    ["a public key", publicKey.export({ type: "spki", format: "pem" }).toString(), "holds none"],
    ["a damaged key", key.replace("\nM", "\nX"), "holds a damaged one"],
    [
      "an encrypted key",
      createPrivateKey(key)
        .export({ type: "pkcs8", ...locked })
        .toString(),
      IS_LOCKED,
    ],
    [
      "an RSA key encrypted in the old format",
      rsaKey.export({ type: "pkcs1", ...locked }).toString(),
      IS_LOCKED,
    ],
  ])("%s", (_, text, fault) => {
    expect(() => privateKeyIn(text, "x.pem", "--smtp-tls-key")).toThrow(new Error(`${NEEDS_KEY} ${fault}`));
  });
});

test.each([
  ["files of their own", cert, key],
  ["one file, the key first", key + cert, key + cert],
  ["a chain", cert + cert, key],
])("certificate and key are read from %s", (_, certText, keyText) => {
  const certificate = certificateIn(certText, "cert.pem", "--http-tls-cert");
  expect(certificate.checkPrivateKey(privateKeyIn(keyText, "key.pem", "--http-tls-key"))).toBe(true);
});
