// The store: a log that is the truth, rows and a text index that follow it. Every change is written to the log and
// then applied; every read sees what was applied before it.
import { Draft } from "./draft.ts";
import { asStoreError, diskFull, indexDamaged } from "./errors.ts";
import type { Lock } from "./log/lock.ts";
import { Mail } from "./mail-view.ts";
import { Queries } from "./queries.ts";
import type {
  Envelope,
  MailView,
  MessageDraft,
  MessageScan,
  Scope,
  Setting,
  Store,
  StoreFigures,
} from "./store.ts";
import { Writer, type WriterParts } from "./writer.ts";

export interface MailStoreParts extends WriterParts {
  readonly startScan: () => MessageScan;
  /** Frees disk space in the background. Null if the log needs no compaction. */
  readonly compactor: { poke(): void; run(): Promise<void>; stop(): Promise<void> } | null;
  /** Of the data folder; null without one. */
  readonly lock: Lock | null;
}

export class MailStore extends Mail implements Store {
  readonly #parts: MailStoreParts;
  readonly #writer: Writer;
  readonly #arriving = new Set<Promise<void>>();
  #closing: Promise<void> | null = null;

  constructor(parts: MailStoreParts) {
    const queries = new Queries(parts);
    const writer = new Writer(parts, queries);
    super({ ...parts, queries, writer }, null);
    this.#parts = parts;
    this.#writer = writer;
  }

  begin(envelope: Envelope): MessageDraft {
    this.#writer.assertOpen();
    return new Draft(envelope, this.#parts.startScan(), this.#parts.log, {
      insert: (message) => this.#writer.insert(message),
      begun: (commit) => {
        const ended = commit.then(ignore, ignore).finally(() => this.#arriving.delete(ended));
        this.#arriving.add(ended);
      },
    });
  }

  within(scope: Scope): MailView {
    return scope === null ? this : new Mail(this.parts, scope);
  }

  async inboxes(): ReturnType<Store["inboxes"]> {
    await this.refresh();
    return this.#parts.rows.inboxes;
  }

  get position(): number | null {
    return this.#parts.log.shared === null ? null : this.#writer.position;
  }

  onLead(listener: (isLeader: boolean) => void): void {
    const { shared } = this.#parts.log;
    if (shared === null) listener(true);
    else shared.lead(listener);
  }

  figures(): StoreFigures {
    const { log, rows, search } = this.#parts;
    const indexBytes = rows.size + search.size;
    return { logBytes: log.size, indexBytes, groups: this.#writer.groups, searches: search.times };
  }

  async set(key: string, value: unknown): Promise<void> {
    await this.change((seq) => ({ record: { kind: "setting", seq, key, value } }));
  }

  async settings(prefix: string): Promise<Setting[]> {
    await this.refresh();
    return this.#parts.rows.settings(prefix).map(({ key, value }) => ({ key, value }));
  }

  async check(): Promise<void> {
    await this.stats();
    const { space, log, rows } = this.#parts;
    if (space?.isShort) throw diskFull();
    if (rows.isDamaged) throw indexDamaged();
    try {
      await log.check?.();
    } catch (error) {
      throw asStoreError(error);
    }
  }

  async indexed(): Promise<void> {
    await this.refresh();
    await this.#parts.search.indexed();
  }

  async compact(): Promise<void> {
    this.#writer.assertOpen();
    await this.#parts.compactor?.run();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  between<Result>(run: () => Result): Promise<Result> {
    return this.#writer.between(run);
  }

  async #close(): Promise<void> {
    const { compactor, search, log, rows, logger, lock } = this.#parts;
    this.#writer.stopTaking();
    await compactor?.stop();
    await Promise.allSettled(this.#arriving);
    await this.#writer.drain();
    await search.close();
    // Everything acknowledged is already as safe as the settings ask for. A failure now loses nothing.
    await log.close().catch((error) => logger.warn("log not synced", { reason: String(error) }));
    rows.close();
    lock?.release();
  }
}

const ignore = () => {};
