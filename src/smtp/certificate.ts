// A self-signed certificate (RFC 5280) made at start, so that TLS can be tried without openssl.
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isIPv4, isIPv6 } from "node:net";

/** PEM. */
export interface TlsKeyPair {
  readonly cert: string;
  readonly key: string;
}

interface SelfSignedOptions {
  /** Names and addresses beyond localhost that clients may use. */
  readonly hosts: readonly string[];
  readonly now: Date;
}

const OID = {
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  commonName: "2.5.4.3",
  subjectKeyIdentifier: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  extendedKeyUsage: "2.5.29.37",
  serverAuth: "1.3.6.1.5.5.7.3.1",
} as const;

const DAY_MS = 24 * 60 * 60 * 1000;
/** The longest that browsers and mail programs accept. */
const VALID_DAYS = 397;
const LOCAL_HOSTS = ["localhost", "127.0.0.1", "::1"];

/** P-256, because it is made in a millisecond. */
export function createSelfSignedCertificate({ hosts, now }: SelfSignedOptions): TlsKeyPair {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const publicInfo = publicKey.export({ type: "spki", format: "der" });
  const name = sequence(set(sequence(objectId(OID.commonName), utf8String("Mailkeep self-signed"))));
  const algorithm = sequence(objectId(OID.ecdsaWithSha256));
  const toBeSigned = sequence(
    explicit(0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    name,
    // A day back, for clients whose clock is behind.
    sequence(
      time(new Date(now.getTime() - DAY_MS)),
      time(new Date(now.getTime() + (VALID_DAYS - 1) * DAY_MS)),
    ),
    name,
    publicInfo,
    explicit(3, extensions(publicInfo, new Set([...LOCAL_HOSTS, ...hosts]))),
  );
  const signature = sign("sha256", toBeSigned, privateKey);
  return {
    cert: pem("CERTIFICATE", sequence(toBeSigned, algorithm, bitString(signature))),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

function extensions(publicInfo: Buffer, hosts: ReadonlySet<string>): Buffer {
  // It is its own authority, so that clients can be told to trust it.
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

function alternativeName(host: string): Buffer {
  if (isIPv4(host)) return implicit(7, Buffer.from(host.split(".").map(Number)));
  if (isIPv6(host)) return implicit(7, ipv6Bytes(host));
  return implicit(2, Buffer.from(host));
}

function ipv6Bytes(address: string): Buffer {
  // The URL parser turns every spelling into one: hexadecimal groups with at most one "::".
  const canonical = new URL(`http://[${address.replace(/%.*$/, "")}]`).hostname.slice(1, -1);
  const [head = "", tail = ""] = canonical.split("::");
  const groups = (text: string) => (text === "" ? [] : text.split(":"));
  const missing = 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array<string>(missing).fill("0"), ...groups(tail)];
  return Buffer.from(all.map((group) => group.padStart(4, "0")).join(""), "hex");
}

function pem(label: string, der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

// The few pieces of DER (X.690) that a certificate is made of

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectId: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
} as const;

function element(tag: number, ...contents: Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), encodeLength(content.length), content]);
}

function encodeLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes = Buffer.from(evenHex(length), "hex");
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
}

function evenHex(value: number): string {
  const hex = value.toString(16);
  return hex.length % 2 === 0 ? hex : `0${hex}`;
}

const sequence = (...items: Uint8Array[]) => element(TAG.sequence, ...items);
const set = (...items: Uint8Array[]) => element(TAG.set, ...items);
const octetString = (content: Uint8Array) => element(TAG.octetString, content);
const utf8String = (text: string) => element(TAG.utf8String, Buffer.from(text));
const boolean = (value: boolean) => element(TAG.boolean, Buffer.from([value ? 0xff : 0]));

/** A context-specific tag: `explicit` wraps an element, `implicit` replaces its tag. */
const explicit = (number: number, content: Uint8Array) => element(0xa0 | number, content);
const implicit = (number: number, content: Uint8Array) => element(0x80 | number, content);

/** A non-negative integer, most significant byte first. */
function integer(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = first === -1 ? Buffer.from([0]) : bytes.subarray(first);
  return element(TAG.integer, Buffer.from((digits[0] ?? 0) >= 0x80 ? [0] : []), digits);
}

function bitString(content: Uint8Array, unusedBits = 0): Buffer {
  return element(TAG.bitString, Buffer.from([unusedBits]), content);
}

/** From the dotted form, such as `1.2.840.10045.4.3.2`. */
function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return element(TAG.objectId, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let left = value >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80);
  return digits;
}

/** RFC 5280 section 4.1.2.5: with two digits for the year, which is enough until 2049. */
function time(date: Date): Buffer {
  return element(TAG.utcTime, Buffer.from(`${date.toISOString().replace(/[-:T]/g, "").slice(2, 14)}Z`));
}
