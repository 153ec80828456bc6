// The store: a log, and rows and a text index that are derived from it. Every change is written to the log and then
// applied. Every read sees all changes that were applied before.
import type { Envelope } from "../lib/smtp.ts";
import { Draft } from "./draft.ts";
import { asStoreError, diskFull, indexDamaged } from "./errors.ts";
import type { Lock } from "./log/data-dir.ts";
import { Mail } from "./mail-view.ts";
import type { MailParts } from "./queries.ts";
import type { MailView, MessageDraft, MessageScan, Scope, Setting, Store, StoreFigures } from "./store.ts";
import { Writer, type WriterParts } from "./writer.ts";

export interface MailStoreParts extends WriterParts {
  readonly startScan: () => MessageScan;
  /** The lock of the data folder; null without a folder. */
  readonly lock: Lock | null;
}

export class MailStore extends Mail implements Store {
  declare protected readonly parts: MailStoreParts & MailParts;
  #closing: Promise<void> | null = null;

  constructor(parts: MailStoreParts) {
    super({ ...parts, writer: new Writer(parts) }, null);
  }

  begin(envelope: Envelope): MessageDraft {
    const { writer, startScan, log } = this.parts;
    writer.assertOpen();
    return new Draft(envelope, startScan(), log, writer);
  }

  within(scope: Scope): MailView {
    return scope === null ? this : new Mail(this.parts, scope);
  }

  async inboxes(): ReturnType<Store["inboxes"]> {
    await this.refresh();
    return this.parts.rows.inboxes;
  }

  get position(): number | null {
    return this.parts.log.shared === null ? null : this.parts.writer.position;
  }

  onLead(listener: (isLeader: boolean) => void): void {
    const { shared } = this.parts.log;
    if (shared === null) listener(true);
    else shared.lead(listener);
  }

  figures(): StoreFigures {
    const { log, rows, search, writer } = this.parts;
    const indexBytes = rows.size + search.size;
    return { logBytes: log.size, indexBytes, groups: writer.groups, searches: search.times };
  }

  async set(key: string, value: unknown): Promise<void> {
    await this.parts.writer.change((seq) => ({ record: { kind: "setting", seq, key, value } }));
  }

  async settings(prefix: string): Promise<Setting[]> {
    await this.refresh();
    return this.parts.rows.settings(prefix).map(({ key, value }) => ({ key, value }));
  }

  async check(): Promise<void> {
    await this.stats();
    const { space, log, rows } = this.parts;
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
    await this.parts.search.indexed();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { writer, compactor, search, log, rows, logger, lock } = this.parts;
    await writer.close();
    await compactor?.stop();
    await search.close();
    // Everything acknowledged is already safe, so a failure now loses nothing.
    await log.close().catch((error) => logger.warn("log not synced", { reason: String(error) }));
    rows.close();
    lock?.release();
  }
}
