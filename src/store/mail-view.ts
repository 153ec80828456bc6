// The mail of all inboxes or of some: reads and changes messages. Lists and counts are in queries.ts.
import type { MessageChange, MessageFilter, MessageSummary } from "../model/index.ts";
import type { MessageState, NewRecord } from "./log/log.ts";
import { Queries } from "./queries.ts";
import { type MessageRow, summaryOf } from "./rows/row.ts";
import { isWithin, type MailView, type RawMessage, type StoreChange, type StoreStats } from "./store.ts";

/** Larger changes are made in several turns, so that other work can run in between. */
const CHANGED_PER_TURN = 500;
const FIELDS = ["is_read", "is_starred", "tags"] as const;

export class Mail extends Queries implements MailView {
  onChange(listener: (change: StoreChange) => void): () => void {
    const { scope } = this;
    return this.parts.writer.onChange((change) => {
      const seen = scope === null ? change : changeWithin(scope, change);
      if (seen !== null) listener(seen);
    });
  }

  async get(id: string): Promise<MessageSummary | null> {
    await this.refresh();
    const row = this.#rowOf(id);
    return row === null ? null : summaryOf(row);
  }

  async raw(id: string): Promise<RawMessage | null> {
    await this.refresh();
    const row = this.#rowOf(id);
    if (row === null) return null;
    const { log, logger, rows } = this.parts;
    const raw = await log.body(row);
    if (raw !== null) return raw;
    // Another node may have deleted the message in the meantime.
    await this.refresh();
    if (this.#rowOf(id) === null) return null;
    if (log.isMisplaced?.(row)) throw rows.markDamaged("a message is not where the index says");
    const copy = log.keepAside?.(row);
    const [removed] = await this.delete([id]).catch(() => [id]);
    // Another read may have removed the message at the same time.
    if (removed !== undefined) logger.error("message damaged", { id, copy });
    return null;
  }

  async stats(): Promise<StoreStats> {
    await this.refresh();
    const { rows, log, search } = this.parts;
    const { messages, unread, bytes } = rows.countsOf(this.scope);
    // Callers limited to some inboxes are not told the size of other mail.
    const store_bytes = this.scope === null ? log.size + rows.size + search.size : bytes;
    return { messages, unread, message_bytes: bytes, store_bytes };
  }

  async update(ids: readonly string[], change: MessageChange): Promise<MessageSummary[]> {
    const changed: MessageSummary[] = [];
    for (const some of inTurns([...new Set(ids)])) {
      const found = () => some.flatMap((id) => this.#rowOf(id) ?? []);
      const applied = await this.parts.writer.change((seq) => planUpdate(seq, found(), change));
      if (applied?.kind === "changed") changed.push(...applied.messages);
      else changed.push(...found().map(summaryOf));
    }
    return changed;
  }

  delete(ids: readonly string[]): Promise<string[]> {
    return this.#delete([...new Set(ids)], (id) => this.#rowOf(id));
  }

  async deleteMatching(filter: MessageFilter): Promise<string[]> {
    await this.refresh();
    return this.#delete(await this.seqs(filter), (seq) => this.parts.rows.bySeq(seq));
  }

  async clear(): Promise<number> {
    const { rows } = this.parts;
    if (this.scope !== null) return this.#clearInboxes(this.scope);
    const applied = await this.parts.writer.change((seq) => ({
      record: { kind: "clear", seq },
      kept: rows.settings("").sort((a, b) => a.seq - b.seq),
    }));
    return applied?.kind === "cleared" ? applied.count : 0;
  }

  #rowOf(id: string): MessageRow | null {
    return this.parts.rows.byId(id, this.scope);
  }

  async #delete<Key>(keys: readonly Key[], find: (key: Key) => MessageRow | null): Promise<string[]> {
    const ids: string[] = [];
    for (const some of inTurns(keys)) {
      const applied = await this.parts.writer.change((seq) => {
        const deleted = some.flatMap((key) => find(key) ?? []);
        if (deleted.length === 0) return null;
        return { record: { kind: "delete", seq, seqs: deleted.map((row) => row.seq) } };
      });
      if (applied?.kind === "deleted") ids.push(...applied.ids);
    }
    return ids;
  }

  /** Deletes in several steps. The record of the last step names the inboxes as cleared. */
  async #clearInboxes(scope: readonly string[]): Promise<number> {
    const { rows } = this.parts;
    let count = 0;
    for (let isLast = false; !isLast; ) {
      const applied = await this.parts.writer.change((seq) => {
        const deleted = rows.oldestIn(scope, CHANGED_PER_TURN);
        isLast = deleted.length < CHANGED_PER_TURN;
        const seqs = deleted.map((row) => row.seq);
        return { record: { kind: "delete", seq, seqs, ...(isLast && { cleared: scope }) } };
      });
      if (applied?.kind === "deleted") count += applied.ids.length;
    }
    return count;
  }
}

function planUpdate(seq: number, rows: readonly MessageRow[], change: MessageChange): NewRecord | null {
  const fields = FIELDS.filter((field) => change[field] !== undefined);
  if (rows.length === 0 || fields.length === 0) return null;
  const states: (MessageState & { seqs: number[] })[] = [];
  for (const row of rows) {
    const { is_read, is_starred, tags } = { ...summaryOf(row), ...change };
    const state = { is_read, is_starred, tags };
    const last = states.at(-1);
    // Equal states are joined only if they are adjacent, so that the requested order is kept.
    if (last && Bun.deepEquals(last, { ...state, seqs: last.seqs })) last.seqs.push(row.seq);
    else states.push({ ...state, seqs: [row.seq] });
  }
  return { record: { kind: "change", seq, fields, states } };
}

function* inTurns<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let at = 0; at < items.length; at += CHANGED_PER_TURN) yield items.slice(at, at + CHANGED_PER_TURN);
}

/** A change as seen by a caller limited to these inboxes; null if it concerns none of them. */
function changeWithin(scope: readonly string[], change: StoreChange): StoreChange | null {
  if (change.kind === "setting") return null;
  if (change.kind === "cleared") return change;
  if (change.kind === "added") return isWithin(scope, change.inbox) ? change : null;
  const { inboxes } = change;
  const isSeen = (_: unknown, at: number) => isWithin(scope, inboxes[at] ?? "");
  const seen = inboxes.filter(isSeen);
  if (change.kind === "changed") {
    if (seen.length === 0) return null;
    return { ...change, inboxes: seen, messages: change.messages.filter(isSeen) };
  }
  const isCleared = change.cleared && scope.every((inbox) => change.cleared?.includes(inbox));
  if (isCleared) return { kind: "cleared", count: seen.length };
  return seen.length === 0 ? null : { ...change, inboxes: seen, ids: change.ids.filter(isSeen) };
}
