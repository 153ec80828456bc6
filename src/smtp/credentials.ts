// Who may log in over SMTP, and how credentials are written: `user:password` on the command line, htpasswd lines in a
// file. Errors never repeat the value, because it contains a password. Comparisons take the same time whether they
// match or not.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { LoginAttempt } from "./protocol/index.ts";

export type Credential =
  | { readonly user: string; readonly kind: "plain"; readonly password: string }
  | { readonly user: string; readonly kind: "bcrypt"; readonly hash: string };

export interface Credentials {
  /** Whether every password is known in plain text, which CRAM-MD5 needs. */
  readonly supportsCramMd5: boolean;
  verify(attempt: LoginAttempt): boolean | Promise<boolean>;
}

const BCRYPT_BYTES = 72;

export function createCredentials(list: readonly Credential[]): Credentials {
  const equal = constantTimeEqual();
  return {
    supportsCramMd5: list.every(({ kind }) => kind === "plain"),
    verify: (attempt) =>
      attempt.kind === "password"
        ? verifyPassword(list, attempt.user, attempt.password, equal)
        : verifyCramMd5(list, attempt, equal),
  };
}

type Equal = (a: string, b: string) => boolean;

/** Compares digests with a secret key, so that the time taken tells neither content nor length. */
function constantTimeEqual(): Equal {
  const key = randomBytes(32);
  const digest = (text: string) => createHmac("sha256", key).update(text).digest();
  return (a, b) => timingSafeEqual(digest(a), digest(b));
}

async function verifyPassword(
  list: readonly Credential[],
  user: string,
  password: string,
  equal: Equal,
): Promise<boolean> {
  let accepted = false;
  let hashFound = false;
  let hash = list.find(({ kind }) => kind === "bcrypt");
  for (const credential of list) {
    const sameUser = equal(credential.user, user);
    if (credential.kind === "plain") {
      const samePassword = equal(credential.password, password);
      accepted = (sameUser && samePassword) || accepted;
    } else if (sameUser) {
      hashFound = true;
      hash = credential;
    }
  }
  // An unknown user takes as long as a known user.
  const hashMatches = hash?.kind === "bcrypt" && (await matchesHash(password, hash.hash));
  return accepted || (hashFound && hashMatches);
}

async function matchesHash(password: string, hash: string): Promise<boolean> {
  // htpasswd uses only the first 72 bytes of a password. Bun would use a hash of all bytes.
  const significant = Buffer.from(password).subarray(0, BCRYPT_BYTES);
  // Bun throws for an empty password, which must not match anyway.
  return significant.length > 0 && (await Bun.password.verify(significant, hash, "bcrypt"));
}

function verifyCramMd5(
  list: readonly Credential[],
  { user, challenge, digest }: Extract<LoginAttempt, { kind: "cram-md5" }>,
  equal: Equal,
): boolean {
  let accepted = false;
  for (const credential of list) {
    if (credential.kind !== "plain") continue;
    const sameUser = equal(credential.user, user);
    const expected = createHmac("md5", credential.password).update(challenge).digest("hex");
    const sameDigest = equal(expected, digest);
    accepted = (sameUser && sameDigest) || accepted;
  }
  return accepted;
}

// How credentials are written

export class CredentialSyntaxError extends Error {
  override readonly name = "CredentialSyntaxError";
}

const BCRYPT =
  /^\$2[aby](\$(?:0[4-9]|[12]\d|3[01])\$[./A-Za-z\d]{21})([./A-Za-z\d])([./A-Za-z\d]{30})([./A-Za-z\d])$/;
const BCRYPT_LETTERS = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const OTHER_HASHES: Readonly<Record<string, string>> = {
  $apr1$: "MD5 (apr1)",
  $1$: "MD5 (crypt)",
  $5$: "SHA-256 (crypt)",
  $6$: "SHA-512 (crypt)",
  $y$: "yescrypt",
  $argon2: "Argon2",
  "{SHA}": "SHA-1",
  "{SSHA}": "salted SHA-1",
};

/** `user:password`; the password is taken as it is and may contain colons. */
export function parseCredential(text: string): Credential {
  const { user, secret } = splitCredential(text);
  return { user, kind: "plain", password: secret };
}

/** The text of an htpasswd file: `user:password` lines with bcrypt (`htpasswd -B`) or plain passwords. */
export function parseHtpasswd(text: string): Credential[] {
  const credentials: Credential[] = [];
  for (const [index, raw] of text
    .replace(/^\ufeff/, "")
    .split("\n")
    .entries()) {
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
    const hash = readBcrypt(secret);
    if (hash === null) throw new CredentialSyntaxError(`the bcrypt hash of "${user}" is not valid`);
    return { user, kind: "bcrypt", hash };
  }
  const other = Object.entries(OTHER_HASHES).find(([prefix]) => secret.startsWith(prefix));
  if (other !== undefined) {
    throw new CredentialSyntaxError(
      `"${user}" has a ${other[1]} hash: use bcrypt (htpasswd -B) or plain text`,
    );
  }
  return { user, kind: "plain", password: secret };
}

/** Returns the hash in the form that Bun accepts, or null if it is not a bcrypt hash. */
function readBcrypt(secret: string): string | null {
  const [all, cost = "", salt = "", digest = "", last = ""] = BCRYPT.exec(secret) ?? [];
  if (all === undefined) return null;
  // The last letters of salt and digest have unused bits. Some programs set them, and Bun would throw.
  const bare = (letter: string, bits: number) => BCRYPT_LETTERS[BCRYPT_LETTERS.indexOf(letter) & bits];
  // The variants differ only in bugs of old implementations. Every library knows 2b.
  return `$2b${cost}${bare(salt, 0b110000)}${digest}${bare(last, 0b111100)}`;
}

function splitCredential(text: string): { user: string; secret: string } {
  const colon = text.indexOf(":");
  if (colon === -1) throw new CredentialSyntaxError("expected user:password, but there is no colon");
  if (colon === 0) throw new CredentialSyntaxError("expected user:password, but the user is empty");
  const secret = text.slice(colon + 1);
  if (secret === "") throw new CredentialSyntaxError("expected user:password, but the password is empty");
  return { user: text.slice(0, colon), secret };
}
