// A self-signed certificate (RFC 5280) made at start, so that TLS can be tried without openssl.
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isIPv4, isIPv6 } from "node:net";

export interface TlsKeyPair {
  readonly cert: string;
  readonly key: string;
}

interface SelfSignedOptions {
  /** Names and IP addresses by which clients reach this server, besides localhost. */
  readonly hosts: readonly string[];
  readonly now: Date;
}

/** Object identifiers in DER, as hexadecimal text. */
const OID = {
  ecdsaWithSha256: "2a8648ce3d040302",
  commonName: "550403",
  subjectKeyIdentifier: "551d0e",
  keyUsage: "551d0f",
  subjectAltName: "551d11",
  basicConstraints: "551d13",
  extendedKeyUsage: "551d25",
  serverAuth: "2b06010505070301",
} as const;

const DAY_MS = 24 * 60 * 60 * 1000;
/** Some clients refuse certificates with longer periods. */
const VALID_DAYS = 397;
const LOCAL_HOSTS = ["localhost", "127.0.0.1", "::1"];

/** Uses a P-256 key, which is made in a millisecond. */
export function createSelfSignedCertificate({ hosts, now }: SelfSignedOptions): TlsKeyPair {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const publicInfo = publicKey.export({ type: "spki", format: "der" });
  const name = sequence(set(sequence(objectId(OID.commonName), utf8String("Mailkeep self-signed"))));
  const algorithm = sequence(objectId(OID.ecdsaWithSha256));
  const toBeSigned = sequence(
    // Version 3, and a serial number, whose first byte 1 makes it positive.
    explicit(0, integer(Buffer.from([2]))),
    integer(Buffer.from([1]), randomBytes(15)),
    algorithm,
    name,
    // Valid since yesterday, for clients whose clock is slow.
    sequence(
      time(new Date(now.getTime() - DAY_MS)),
      time(new Date(now.getTime() + (VALID_DAYS - 1) * DAY_MS)),
    ),
    name,
    publicInfo,
    explicit(3, extensions(publicInfo, new Set([...LOCAL_HOSTS, ...hosts.filter((host) => !isIPv6(host))]))),
  );
  const signature = sign("sha256", toBeSigned, privateKey);
  return {
    cert: pem("CERTIFICATE", sequence(toBeSigned, algorithm, bitString(signature))),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

function extensions(publicInfo: Buffer, hosts: ReadonlySet<string>): Buffer {
  // The certificate is its own authority (CA), so that users can tell a client to trust it.
  const authority = sequence(boolean(true));
  return sequence(
    extension(OID.basicConstraints, authority, true),
    // digitalSignature and keyCertSign; the last two bits of the byte are unused.
    extension(OID.keyUsage, bitString(Buffer.from([0b10000100]), 2), true),
    extension(OID.extendedKeyUsage, sequence(objectId(OID.serverAuth))),
    extension(OID.subjectKeyIdentifier, octetString(createHash("sha1").update(publicInfo).digest())),
    extension(OID.subjectAltName, sequence(...[...hosts].map(alternativeName))),
  );
}

function extension(id: string, value: Buffer, critical = false): Buffer {
  return sequence(objectId(id), ...(critical ? [boolean(true)] : []), octetString(value));
}

/** Names only the local IPv6 address, because clients do not verify other IPv6 addresses. */
function alternativeName(host: string): Buffer {
  if (isIPv4(host)) return implicit(7, Buffer.from(host.split(".").map(Number)));
  return host === "::1"
    ? implicit(7, Buffer.from([...Array(15).fill(0), 1]))
    : implicit(2, Buffer.from(host));
}

function pem(label: string, der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

// The few pieces of DER (X.690) that a certificate is made of

function element(tag: number, ...contents: Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), encodeLength(content.length), content]);
}

/** For contents below 64 KiB. */
function encodeLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  return Buffer.from(length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]);
}

const sequence = (...items: Uint8Array[]) => element(0x30, ...items);
const set = (...items: Uint8Array[]) => element(0x31, ...items);
const integer = (...bytes: Uint8Array[]) => element(0x02, ...bytes);
const objectId = (id: string) => element(0x06, Buffer.from(id, "hex"));
const bitString = (content: Uint8Array, unusedBits = 0) => element(0x03, Buffer.from([unusedBits]), content);
const octetString = (content: Uint8Array) => element(0x04, content);
const utf8String = (text: string) => element(0x0c, Buffer.from(text));
const boolean = (value: boolean) => element(0x01, Buffer.from([value ? 0xff : 0]));

/** A context-specific tag: `explicit` wraps an element, `implicit` replaces its tag. */
const explicit = (number: number, content: Uint8Array) => element(0xa0 | number, content);
const implicit = (number: number, content: Uint8Array) => element(0x80 | number, content);

/** UTCTime: with two digits for the year, as RFC 5280 section 4.1.2.5 asks until 2049. */
function time(date: Date): Buffer {
  return element(0x17, Buffer.from(`${date.toISOString().replace(/[-:T]/g, "").slice(2, 14)}Z`));
}
