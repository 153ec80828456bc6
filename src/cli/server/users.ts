// Who may log in: to SMTP, and to HTTP with a role.
import { createHmac, randomBytes } from "node:crypto";
import type { HttpUser, ServeSettings } from "../../config/index.ts";
import type { OidcSettings, VerifyUser } from "../../http/index.ts";
import type { Role } from "../../model/index.ts";
import {
  type Credential,
  CredentialSyntaxError,
  type Credentials,
  createCredentials,
  parseCredential,
  parseHtpasswd,
} from "../../smtp/index.ts";
import { StartError } from "../command/command.ts";
import { readSettingFile } from "./tls-files.ts";

interface User {
  readonly credential: Credential;
  readonly role: Role;
}

type UserSettings = Pick<ServeSettings, "httpAuth" | "httpAuthFile" | "requireAuth">;

export function httpUsers({
  httpAuth,
  httpAuthFile: path,
  requireAuth,
}: UserSettings): VerifyUser | undefined {
  if (path === undefined && httpAuth.length === 0 && !requireAuth) return undefined;
  return verifierOf([...httpAuth.map(userOf), ...(path === undefined ? [] : usersIn(path))]);
}

export function oidcSettings(settings: ServeSettings): OidcSettings | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId } = settings;
  if (issuer === undefined || clientId === undefined) return undefined;
  const { oidcClientSecret: clientSecret, oidcScope: scope, oidcAllow: allow } = settings;
  return { issuer, clientId, clientSecret, scope, allow };
}

const userOf = ({ role, pair }: HttpUser): User => ({ credential: parseCredential(pair), role });

/** A role may follow the hash: `ann:$2y$…:read`. */
const WITH_ROLE = /^([^:]+):(.+):(read|write|admin)[ \t]*$/;

function usersIn(path: string): User[] {
  const text = readSettingFile(path, "file of HTTP users", "--http-auth-file");
  const roles = new Map<string, Role>();
  const withoutRole = (line: string, index: number) => {
    const [, user, secret, role] = line.startsWith("#") ? [] : (WITH_ROLE.exec(line) ?? []);
    if (user === undefined) return line;
    if (!secret?.startsWith("$2"))
      throw new CredentialSyntaxError(
        `line ${index + 1}: a role may only follow a bcrypt hash (htpasswd -B), not a plain password`,
      );
    roles.set(user, role as Role);
    return `${user}:${secret}`;
  };
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/);
  const credentials = wellFormed(`the file of HTTP users ${path}`, () =>
    parseHtpasswd(lines.map(withoutRole).join("\n")),
  );
  return credentials.map((credential) => ({ credential, role: roles.get(credential.user) ?? "admin" }));
}

function verifierOf(users: readonly User[]): VerifyUser {
  const byName = new Map(users.map((user) => [user.credential.user, user]));
  const twice = users.find((user) => byName.get(user.credential.user) !== user)?.credential.user;
  if (twice !== undefined)
    throw new StartError(`the HTTP user '${twice}' is given twice in --http-auth or --http-auth-file`);
  const credentials = createCredentials(users.map(({ credential }) => credential));
  const key = randomBytes(32);
  // Remembers accepted passwords, because every request has one, and bcrypt is slow on purpose.
  const accepted = new Set<string>();
  return async (user, password) => {
    const digest = createHmac("sha256", key).update(`${user}:${password}`).digest("hex");
    if (!accepted.has(digest) && !(await credentials.verify({ kind: "password", user, password })))
      return null;
    accepted.add(digest);
    return byName.get(user)?.role ?? null;
  };
}

/** Null accepts any credentials. */
export function smtpCredentials({ smtpAuth, smtpAuthFile }: ServeSettings): Credentials | null {
  if (smtpAuth.length === 0 && smtpAuthFile === undefined) return null;
  const given = wellFormed("--smtp-auth", () => smtpAuth.map(parseCredential));
  if (smtpAuthFile === undefined) return createCredentials(given);
  const text = readSettingFile(smtpAuthFile, "file of SMTP credentials", "--smtp-auth-file");
  const filed = wellFormed(`the file of SMTP credentials ${smtpAuthFile}`, () => parseHtpasswd(text));
  return createCredentials([...given, ...filed]);
}

function wellFormed<Value>(source: string, parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof CredentialSyntaxError)) throw error;
    throw new StartError(`${source} is not valid: ${error.message}`);
  }
}
