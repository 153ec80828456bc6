// Bearer tokens and the sessions of browsers. Their hashes are kept in the settings of the store, so they survive a
// restart, and every node knows them.
import { createHash, randomBytes } from "node:crypto";
import { ulid } from "ulid";
import { LONGEST_TIMER_MS } from "../lib/time.ts";
import type { Caller, CreatedToken, Token } from "../model/index.ts";
import type { Store } from "../store/index.ts";
import { AccessEndedError } from "./expectations.ts";

interface StoredToken extends Omit<Token, "inbox"> {
  readonly hash: string;
  readonly isSession: boolean;
}

export interface NewToken extends Pick<Token, "name" | "role" | "inboxes"> {
  readonly expiresAt: Date | null;
}

const KEYS = "token/";
export const TOKEN_PREFIX = "mk_";
const SESSION_PREFIX = "ms_";
const TOKEN_BYTES = 32;

function shownOf({ hash, isSession, inboxes, ...token }: StoredToken): Token {
  const [inbox = null, ...others] = inboxes ?? [];
  return { ...token, inbox: others.length > 0 ? null : inbox, inboxes };
}

/** A token is random, so no slow hash is needed, and the time of a lookup by hash tells an attacker nothing. */
const hashOf = (token: string) => createHash("sha256").update(token).digest("hex");

export class Tokens {
  readonly #store: Store;
  readonly #now: () => Date;
  readonly #byId = new Map<string, StoredToken>();
  readonly #byHash = new Map<string, StoredToken>();
  /** Aborted when the token with this id ends or changes. Entries are made when tokens are used. */
  readonly #endings = new Map<string, AbortController>();

  private constructor(store: Store, now: () => Date) {
    this.#store = store;
    this.#now = now;
    // Other nodes create and revoke tokens, too.
    store.onChange((change) => {
      if (change.kind === "setting") this.#apply(change.key, change.value);
    });
  }

  static async open(store: Store, now: () => Date): Promise<Tokens> {
    const tokens = new Tokens(store, now);
    for (const { key, value } of await store.settings(KEYS)) tokens.#apply(key, value);
    return tokens;
  }

  create(token: NewToken): Promise<CreatedToken> {
    return this.#add(token, TOKEN_PREFIX);
  }

  /** Returns the secret for the browser's cookie. */
  async createSession(caller: Caller, expiresAt: Date): Promise<string> {
    const { name, role, inboxes } = caller;
    return (await this.#add({ name, role, inboxes: inboxes && [...inboxes], expiresAt }, SESSION_PREFIX))
      .token;
  }

  async endSession(secret: string): Promise<void> {
    const found = this.#byHash.get(hashOf(secret));
    if (found?.isSession) await this.revoke(found.id);
  }

  list(): Token[] {
    return [...this.#byId.values()]
      .filter((token) => !token.isSession && !this.#isExpired(token))
      .map(shownOf)
      .sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
  }

  /**
   * Removes the inbox from all tokens, so that they do not give access to a new inbox with the same
   * name. Sessions do not change, because --oidc-allow names their inboxes.
   */
  async forgetInbox(name: string): Promise<void> {
    for (const token of [...this.#byId.values()]) {
      if (token.isSession || !token.inboxes?.includes(name)) continue;
      const inboxes = token.inboxes.filter((one) => one !== name);
      await this.#store.set(KEYS + token.id, inboxes.length === 0 ? null : { ...token, inboxes });
    }
  }

  async revoke(id: string): Promise<boolean> {
    if (!this.#byId.has(id)) return false;
    await this.#store.set(KEYS + id, null);
    return true;
  }

  /** Learns of tokens that another node has just created or revoked. */
  refresh(): Promise<void> {
    return this.#store.refresh();
  }

  callerOf(token: string): Caller | null {
    return this.#find(token, false);
  }

  callerOfSession(secret: string): Caller | null {
    return this.#find(secret, true);
  }

  #find(secret: string, isSession: boolean): Caller | null {
    const found = this.#byHash.get(hashOf(secret));
    if (found === undefined || found.isSession !== isSession || this.#isExpired(found)) return null;
    const { id, name, role, inboxes } = found;
    return { name: name ?? id, role, inboxes, ended: this.#endingOf(found) };
  }

  #endingOf({ id, expires_at }: StoredToken): AbortSignal {
    const known = this.#endings.get(id);
    if (known !== undefined) return known.signal;
    const ending = new AbortController();
    this.#endings.set(id, ending);
    if (expires_at !== null) this.#endAt(id, Date.parse(expires_at));
    return ending.signal;
  }

  #endAt(id: string, time: number): void {
    const ms = time - this.#now().getTime();
    const act = () => (ms > LONGEST_TIMER_MS ? this.#endAt(id, time) : this.#end(id));
    setTimeout(act, Math.min(ms, LONGEST_TIMER_MS)).unref();
  }

  #end(id: string): void {
    this.#endings.get(id)?.abort(new AccessEndedError());
    this.#endings.delete(id);
  }

  async #add({ name, role, inboxes, expiresAt }: NewToken, prefix: string): Promise<CreatedToken> {
    for (const token of this.#byId.values()) if (this.#isExpired(token)) await this.revoke(token.id);
    const token = prefix + randomBytes(TOKEN_BYTES).toString("base64url");
    const stored: StoredToken = {
      id: ulid(this.#now().getTime()),
      name,
      role,
      inboxes,
      created_at: this.#now().toISOString(),
      expires_at: expiresAt?.toISOString() ?? null,
      hash: hashOf(token),
      isSession: prefix === SESSION_PREFIX,
    };
    await this.#store.set(KEYS + stored.id, stored);
    return { ...shownOf(stored), token };
  }

  #isExpired({ expires_at }: StoredToken): boolean {
    return expires_at !== null && Date.parse(expires_at) <= this.#now().getTime();
  }

  #apply(key: string, value: unknown): void {
    if (!key.startsWith(KEYS)) return;
    const id = key.slice(KEYS.length);
    const before = this.#byId.get(id);
    if (before !== undefined) this.#byHash.delete(before.hash);
    this.#byId.delete(id);
    if (value !== null) {
      const token = value as StoredToken;
      this.#byId.set(id, token);
      this.#byHash.set(token.hash, token);
    }
    this.#end(id);
  }
}
