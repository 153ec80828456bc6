// How credentials are written: `user:password` on the command line, htpasswd lines in a file.
// Messages name what is wrong and never repeat the value: it holds a password.
import type { Credential } from "./credentials.ts";

export class CredentialSyntaxError extends Error {
  override readonly name = "CredentialSyntaxError";
}

const BCRYPT = /^\$2[aby]\$(?:0[4-9]|[12]\d|3[01])\$[./A-Za-z\d]{53}$/;
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
  if (credentials.length === 0) throw new CredentialSyntaxError("there is no user in it");
  return credentials;
}

function parseHtpasswdLine(line: string): Credential {
  const { user, secret } = splitCredential(line);
  if (/^\$2[abxy]?\$/.test(secret)) {
    if (!BCRYPT.test(secret)) throw new CredentialSyntaxError(`the bcrypt hash of "${user}" is not valid`);
    // The variants differ in bugs of old implementations only; 2b is the one every library knows.
    return { user, kind: "bcrypt", hash: `$2b$${secret.slice(4)}` };
  }
  const other = Object.entries(OTHER_HASHES).find(([prefix]) => secret.startsWith(prefix));
  if (other !== undefined) {
    throw new CredentialSyntaxError(
      `"${user}" has a ${other[1]} hash: use bcrypt (htpasswd -B) or plain text`,
    );
  }
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
