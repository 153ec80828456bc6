// The inboxes: those of the settings and those that were created, who may send into them, and how long they last.
import { randomUUID } from "node:crypto";
import type { Logger } from "../lib/logger.ts";
import { parseSize } from "../lib/numbers.ts";
import { LONGEST_TIMER_MS, parseDuration } from "../lib/time.ts";
import { DEFAULT_INBOX, type DeclaredInbox, type InboxState } from "../model/index.ts";
import { isWithin, type Scope, type Store } from "../store/index.ts";
import { type Arrival, Placer } from "./arrival.ts";
import { InboxRemovedError } from "./expectations.ts";
import { Retention } from "./retention.ts";
import { TOKEN_PREFIX, type Tokens } from "./tokens.ts";

export interface InboxesOptions {
  readonly store: Store;
  readonly tokens: Pick<Tokens, "create" | "list" | "forgetInbox" | "callerOf">;
  readonly faults: { replace(rules: [], inboxes: readonly string[]): void };
  readonly transcripts: { forgetInbox(name: string): void };
  readonly declared: readonly DeclaredInbox[];
  readonly now: () => Date;
  readonly logger: Logger;
  readonly retentionStarred: boolean;
}

interface OpenedInbox {
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly token: string | null;
}

/** The settings of a created inbox, as they are requested and saved. */
export type InboxSettings = Pick<DeclaredInbox, "max_messages" | "max_age" | "max_size" | "match">;

interface SavedInbox extends InboxSettings {
  /** If two nodes create the inbox at the same time, the id that is stored first wins. */
  readonly id?: string;
  /** Null for an inbox that was declared in the settings, not created. */
  readonly created_at: string | null;
  readonly expires_at: string | null;
}

interface KnownInbox extends SavedInbox {
  readonly name: string;
  readonly isDeclared: boolean;
}

/** An inbox that is no longer declared but still has mail. */
const FORGOTTEN: Omit<KnownInbox, "name"> = { created_at: null, expires_at: null, isDeclared: false };

const KEYS = "inbox/";
const DOMAIN = "mailkeep.test";
const RETRY_MS = 10_000;

export class Inboxes {
  readonly #options: InboxesOptions;
  readonly #known = new Map<string, KnownInbox>();
  readonly #placer = new Placer();
  readonly #retentions = new Map<string, Retention>();
  readonly #removals = new Map<string, AbortController>();
  /** The last unfinished change of each inbox. */
  readonly #changes = new Map<string, Promise<unknown>>();
  #expiry: Timer | null = null;
  #isStopped = false;
  /**
   * With several nodes, only the leader removes expired inboxes. Other nodes apply the retention
   * limits of an inbox only after mail that they received themselves.
   */
  #leads = false;

  private constructor(options: InboxesOptions) {
    this.#options = options;
    const declared = [{ name: DEFAULT_INBOX }, ...options.declared];
    for (const inbox of declared)
      this.#add({ ...inbox, created_at: null, expires_at: null, isDeclared: true });
    options.store.onChange((change) => {
      if (change.kind === "setting") this.#apply(change.key, change.value);
    });
    options.store.onLead((isLeader) => {
      this.#leads = isLeader;
      for (const retention of this.#retentions.values()) retention.lead(isLeader);
      this.#expireLater();
    });
  }

  static async open(options: InboxesOptions): Promise<Inboxes> {
    const inboxes = new Inboxes(options);
    for (const { key, value } of await options.store.settings(KEYS)) inboxes.#apply(key, value);
    return inboxes;
  }

  /** True also for an inbox that is no longer declared but still has mail. */
  async has(name: string): Promise<boolean> {
    const used = await this.#options.store.inboxes();
    return this.#known.has(name) || used.has(name);
  }

  /** An inbox of the settings cannot be changed over the API. */
  isDeclared(name: string): boolean {
    return this.#known.get(name)?.isDeclared === true;
  }

  async list(scope: Scope): Promise<InboxState[]> {
    const counts = await this.#options.store.inboxes();
    const names = [...new Set([...this.#known.keys(), ...counts.keys()])].sort();
    return [DEFAULT_INBOX, ...names.filter((name) => name !== DEFAULT_INBOX)]
      .filter((name) => isWithin(scope, name))
      .map((name) => {
        const { messages = 0, unread = 0 } = counts.get(name) ?? {};
        const { created_at, expires_at, isDeclared, max_messages, max_age, max_size } =
          this.#known.get(name) ?? FORGOTTEN;
        const keep = {
          ...(max_messages !== undefined && { max_messages }),
          ...(max_age !== undefined && { max_age }),
          ...(max_size !== undefined && { max_size }),
        };
        return { name, messages, unread, created_at, expires_at, is_declared: isDeclared, keep };
      });
  }

  /** Creates the inbox, or changes its settings unless it `mustBeNew`. Returns a token only for a new inbox. */
  put(
    name: string,
    settings: InboxSettings,
    expiresAt: Date | null,
    { mustBeNew = false } = {},
  ): Promise<OpenedInbox> {
    return this.#inTurn(name, async () => {
      const { store, tokens, now } = this.#options;
      // Another node may just have created the inbox.
      await store.refresh();
      const before = this.#known.get(name);
      const id = before?.id ?? randomUUID();
      const created_at = before?.created_at ?? now().toISOString();
      const expires_at = expiresAt?.toISOString() ?? null;
      const known = { created_at, expires_at, token: null };
      if (mustBeNew && before !== undefined) return known;
      const saved: SavedInbox = { ...settings, id, created_at, expires_at };
      await store.set(KEYS + name, saved);
      if (before !== undefined || this.#known.get(name)?.id !== id) return known;
      const { token } = await tokens.create({
        name: `inbox ${name}`,
        role: "write",
        inboxes: [name],
        expiresAt: null,
      });
      return { ...known, token };
    });
  }

  /** Removes the inbox with its mail, tokens, faults and rejections. False if there was no such inbox. */
  remove(name: string): Promise<boolean> {
    return this.#inTurn(name, async () => {
      const { store, tokens, faults } = this.#options;
      if (!(await this.has(name))) return false;
      await store.set(KEYS + name, null);
      await tokens.forgetInbox(name);
      faults.replace([], [name]);
      await store.within([name]).clear();
      return true;
    });
  }

  /** Aborted when the caller's only inbox is removed; undefined if the caller may see more. */
  removalOf(scope: Scope): AbortSignal | undefined {
    const [name, another] = scope ?? [];
    if (name === undefined || another !== undefined) return undefined;
    const removal = this.#removals.get(name) ?? new AbortController();
    this.#removals.set(name, removal);
    return removal.signal;
  }

  addressOf(name: string): string {
    return `inbox+${name}@${DOMAIN}`;
  }

  /**
   * Checks a login with an inbox's name and a token. Null means that other credentials decide.
   * Ended tokens are refused: mail for a removed inbox must not go to another one.
   */
  async verify(user: string, password: string | null, isAnyoneWelcome = false): Promise<boolean | null> {
    // Another node may just have created the inbox. If the refresh fails, so will storing the mail.
    await this.#options.store.refresh().catch(() => {});
    if (password?.startsWith(TOKEN_PREFIX) && this.#options.tokens.callerOf(password) === null) return false;
    const inbox = this.#known.get(user.toLowerCase());
    if (inbox === undefined) return null;
    if (password !== null && this.mayDeliver(user, password)) return true;
    const asksForToken = isAnyoneWelcome && this.#hasToken(inbox.name);
    return inbox.isDeclared && !asksForToken ? null : false;
  }

  /** Called for each mail, because the inbox or its token may be removed while a client is logged in. */
  mayDeliver(user: string, token: string): boolean {
    const inbox = this.#known.get(user.toLowerCase());
    const caller = this.#options.tokens.callerOf(token);
    if (inbox === undefined || caller === null) return false;
    return caller.role !== "read" && isWithin(caller.inboxes, inbox.name);
  }

  /** Whether the inbox of a mail depends on its header. */
  needsHeader(arrival: Arrival): boolean {
    return this.#placer.decide(arrival) === null;
  }

  /** `header` is the start of the mail, if it is known. */
  place(arrival: Arrival, header: Uint8Array | null): string {
    return this.#placer.place(arrival, header);
  }

  /**
   * True while the default inbox is the only one. The tokens with which clients log in to other
   * inboxes are stored as hashes, but CRAM-MD5 needs clear passwords.
   */
  get canCramMd5(): boolean {
    return this.#known.size === 1;
  }

  retentionOf(name: string): Retention | undefined {
    return this.#retentions.get(name);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#expiry !== null) clearTimeout(this.#expiry);
    for (const retention of this.#retentions.values()) await retention.stop();
  }

  /** Changes of one inbox run one after the other, so that only one of them creates it. */
  async #inTurn<Result>(name: string, change: () => Promise<Result>): Promise<Result> {
    const before = this.#changes.get(name);
    const result = before === undefined ? change() : before.then(change, change);
    this.#changes.set(name, result);
    try {
      return await result;
    } finally {
      if (this.#changes.get(name) === result) this.#changes.delete(name);
    }
  }

  /** Called for each saved inbox at the start, and for each setting that any node changes. */
  #apply(key: string, value: unknown): void {
    if (!key.startsWith(KEYS)) return;
    const name = key.slice(KEYS.length);
    const before = this.#known.get(name);
    if (before?.isDeclared) return;
    if (value === null) {
      this.#known.delete(name);
      this.#placer.remove(name);
      this.#removals.get(name)?.abort(new InboxRemovedError(name));
      this.#removals.delete(name);
      this.#options.transcripts.forgetInbox(name);
      this.#retain(name);
      this.#expireLater();
    } else
      this.#add({ ...(value as SavedInbox), ...(before?.id && { id: before.id }), name, isDeclared: false });
  }

  #add(inbox: KnownInbox): void {
    this.#known.set(inbox.name, inbox);
    this.#placer.add(inbox);
    this.#retain(inbox.name);
    this.#expireLater();
  }

  #retain(name: string): void {
    const { store, now, logger, retentionStarred } = this.#options;
    void this.#retentions.get(name)?.stop();
    this.#retentions.delete(name);
    const { max_messages, max_age, max_size } = this.#known.get(name) ?? {};
    if ((max_messages ?? max_age ?? max_size) === undefined) return;
    const retention = new Retention({
      store: store.within([name]),
      now,
      logger,
      maxMessages: max_messages,
      maxAgeMs: max_age === undefined ? undefined : (parseDuration(max_age) ?? undefined),
      maxBytes: max_size === undefined ? undefined : (parseSize(String(max_size)) ?? undefined),
      includeStarred: retentionStarred,
    });
    retention.lead(this.#leads);
    this.#retentions.set(name, retention);
  }

  #expireLater(): void {
    if (this.#expiry !== null) clearTimeout(this.#expiry);
    const times = [...this.#known.values()].flatMap(({ expires_at }) => expires_at ?? []).map(Date.parse);
    if (times.length === 0 || !this.#leads || this.#isStopped) return;
    const ms = Math.min(...times) - this.#options.now().getTime();
    this.#expiry = setTimeout(() => void this.#expire(), Math.min(Math.max(0, ms), LONGEST_TIMER_MS)).unref();
  }

  async #expire(): Promise<void> {
    const now = this.#options.now().toISOString();
    try {
      for (const { name, expires_at } of [...this.#known.values()])
        if (expires_at !== null && expires_at <= now) await this.remove(name);
      // Perhaps no inbox is due yet: the clock was set back, or the longest timer is too short.
      this.#expireLater();
    } catch (error) {
      this.#options.logger.error("inbox not removed", { error: String(error) });
      this.#expiry = setTimeout(() => void this.#expire(), RETRY_MS).unref();
    }
  }

  #hasToken(name: string): boolean {
    return this.#options.tokens
      .list()
      .some(({ role, inboxes }) => role !== "read" && inboxes?.includes(name));
  }
}
