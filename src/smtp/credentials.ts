// Who may log in, and how credentials are written: `user:password` on the command line, htpasswd
// lines in a file. Error messages never contain a password. The time of a refusal tells
// neither whether the user exists nor how much of the password was right.
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { LoginAttempt } from "./protocol/index.ts";

export type Credential =
  | { readonly user: string; readonly kind: "plain"; readonly password: string }
  | { readonly user: string; readonly kind: "bcrypt"; readonly hash: string };

export interface Credentials {
  /** Whether every password is known in plain text, which CRAM-MD5 needs. */
  readonly supportsCramMd5: boolean;
  verify(attempt: LoginAttempt): Promise<boolean>;
}

const BCRYPT_BYTES = 72;

export function createCredentials(list: readonly Credential[]): Credentials {
  return {
    supportsCramMd5: list.every(({ kind }) => kind === "plain"),
    async verify(attempt) {
      const own = list.filter(({ user }) => user === attempt.user);
      for (const credential of own) if (await fits(credential, attempt)) return true;
      // Every refusal takes as long as a hash: otherwise the time would reveal user names.
      const hashed = list.find(({ kind }) => kind === "bcrypt");
      if (hashed !== undefined && own.every(({ kind }) => kind === "plain")) await fits(hashed, attempt);
      return false;
    },
  };
}

async function fits(credential: Credential, attempt: LoginAttempt): Promise<boolean> {
  if (attempt.kind === "cram-md5")
    return (
      credential.kind === "plain" && equal(cramMd5(credential.password, attempt.challenge), attempt.digest)
    );
  if (credential.kind === "plain") return equal(credential.password, attempt.password);
  return matchesHash(attempt.password, credential.hash);
}

const cramMd5 = (password: string, challenge: string) =>
  createHmac("md5", password).update(challenge).digest("hex");

/** Compares digests, because timingSafeEqual needs equal lengths. */
const equal = (a: string, b: string) => timingSafeEqual(sha256(a), sha256(b));
const sha256 = (text: string) => createHash("sha256").update(text).digest();

async function matchesHash(password: string, hash: string): Promise<boolean> {
  // htpasswd uses only the first 72 bytes of a password. Bun would use a hash of all bytes.
  const significant = Buffer.from(password).subarray(0, BCRYPT_BYTES);
  // An empty password must not match, even if the file has its hash.
  return significant.length > 0 && (await Bun.password.verify(significant, hash, "bcrypt"));
}

// How credentials are written

export class CredentialSyntaxError extends Error {
  override readonly name = "CredentialSyntaxError";
}

/** The last characters of the salt and of the digest have unused bits. Bun throws if one is set. */
const BCRYPT =
  /^\$2[aby](\$(?:0[4-9]|[12]\d|3[01])\$[./A-Za-z\d]{21}[.Oeu][./A-Za-z\d]{30}[.CGKOSWaeimquy26])$/;
const OTHER_HASH = /^(?:\$(?:apr1|[156y])\$|\$argon2|\{S?SHA\})/;

/** `user:password`; the password is taken as it is and may contain colons. */
export function parseCredential(text: string): Credential {
  const { user, secret } = splitCredential(text);
  return { user, kind: "plain", password: secret };
}

/** The text of an htpasswd file: `user:password` lines with bcrypt (`htpasswd -B`) or plain passwords. */
export function parseHtpasswd(text: string): Credential[] {
  const credentials: Credential[] = [];
  const lines = text.replace(/^\ufeff/, "").split("\n");
  for (const [index, raw] of lines.entries()) {
    const line = raw.replace(/\r$/, "");
    if (line.trim() === "" || line.startsWith("#")) continue;
    try {
      credentials.push(parseHtpasswdLine(line));
    } catch (error) {
      if (!(error instanceof CredentialSyntaxError)) throw error;
      throw new CredentialSyntaxError(`line ${index + 1}: ${error.message}`);
    }
  }
  if (credentials.length === 0) throw new CredentialSyntaxError("the file has no users");
  return credentials;
}

function parseHtpasswdLine(line: string): Credential {
  const { user, secret } = splitCredential(line);
  if (/^\$2[abxy]?\$/.test(secret)) {
    const [, hash] = BCRYPT.exec(secret) ?? [];
    if (hash === undefined) throw new CredentialSyntaxError(`the bcrypt hash of "${user}" is not valid`);
    // 2a, 2b and 2y differ only in bugs of old implementations. Every library knows 2b.
    return { user, kind: "bcrypt", hash: `$2b${hash}` };
  }
  if (OTHER_HASH.test(secret))
    throw new CredentialSyntaxError(`the hash of "${user}" is not bcrypt: use htpasswd -B or plain text`);
  return { user, kind: "plain", password: secret };
}

function splitCredential(text: string): { user: string; secret: string } {
  const colon = text.indexOf(":");
  if (colon === -1) throw new CredentialSyntaxError("expected user:password, but there is no colon");
  if (colon === 0) throw new CredentialSyntaxError("expected user:password, but the user is empty");
  const secret = text.slice(colon + 1);
  if (secret === "") throw new CredentialSyntaxError("expected user:password, but the password is empty");
  return { user: text.slice(0, colon), secret };
}
