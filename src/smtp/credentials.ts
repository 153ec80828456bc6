// Who may log in over SMTP. Comparisons take the same time whether the user, the password or nothing is right.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { LoginAttempt } from "./protocol/index.ts";

/** One user and what proves it. */
export type Credential =
  | { readonly user: string; readonly kind: "plain"; readonly password: string }
  | { readonly user: string; readonly kind: "bcrypt"; readonly hash: string };

export interface Credentials {
  /** Whether every password is known in the clear, as CRAM-MD5 needs it. */
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

/** Compares digests under a key nobody knows, so that neither content nor length shows in the time taken. */
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
  // An unknown user costs a hash like a known one.
  const hashMatches = hash?.kind === "bcrypt" && (await matchesHash(password, hash.hash));
  return accepted || (hashFound && hashMatches);
}

async function matchesHash(password: string, hash: string): Promise<boolean> {
  // bcrypt, and so htpasswd, leaves out what is longer; Bun would hash it first.
  const significant = Buffer.from(password).subarray(0, BCRYPT_BYTES);
  // Bun refuses the empty password, which may not match anything either.
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
