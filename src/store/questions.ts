// What may be asked of the mailbox: rows answer, the text index where words are searched for.
import type { ListQuery, MessageFilter, MessageSummary } from "../model/index.ts";
import type { Log } from "./log/log.ts";
import type { SeqRange } from "./rows/filter-sql.ts";
import { charsOf, summaryOf } from "./rows/row.ts";
import type { Rows } from "./rows/rows.ts";
import type { SearchIndex } from "./search/search-index.ts";
import {
  type MessagePage,
  type OldestMessage,
  type OldestQuery,
  StoreError,
  type StoreStats,
} from "./store.ts";

export interface Asked {
  readonly rows: Rows;
  readonly search: SearchIndex;
  readonly log: Log;
  readonly now: () => Date;
  /** Bytes of the index files, for the statistics. */
  readonly indexBytes: () => number;
}

/** What is deleted between being found and being read is left out; where that is all, the page is of what follows. */
export async function list(
  { rows, search }: Asked,
  { filter, limit, before, offset = 0 }: ListQuery,
): Promise<MessagePage> {
  let range: SeqRange = before === undefined ? {} : { before: cursorOf(rows, before) };
  for (let skipped = offset; ; skipped = 0) {
    const { seqs, total } = isBlank(filter.q)
      ? await rows.matching.page(filter, range, limit + 1, skipped)
      : await search.find(filter.q, filter, range, limit + 1, skipped);
    const messages = await rows.read(seqs.slice(0, limit));
    const last = messages.at(-1)?.id ?? null;
    if (last !== null || seqs.length <= limit)
      return { messages, total, next_cursor: seqs.length > limit ? last : null };
    range = { before: seqs[limit - 1] ?? 0 };
  }
}

export async function count({ rows, search }: Asked, filter: MessageFilter): Promise<number> {
  return isBlank(filter.q) ? rows.matching.count(filter) : search.count(filter.q, filter);
}

export async function summary({ rows }: Asked, id: string): Promise<MessageSummary | null> {
  if (rows.turn.isOver && rows.isLong(id)) await rows.turn.another();
  const row = rows.byId(id);
  if (row === null) return null;
  rows.turn.spend(charsOf(row));
  return summaryOf(row);
}

export async function seqOf({ rows }: Asked, id: string): Promise<number | null> {
  if (rows.turn.isOver && rows.isLong(id)) await rows.turn.another();
  return rows.seqOf(id);
}

export function stats({ rows, log, indexBytes }: Asked): StoreStats {
  const { messages, unread, bytes } = rows.state;
  return { messages, unread, message_bytes: bytes, store_bytes: log.size() + indexBytes() };
}

export function oldest({ rows, now }: Asked, { keepStarred, before, limit }: OldestQuery): OldestMessage[] {
  if (before === undefined) return rows.oldest(keepStarred, limit);
  return rows.oldestBefore(before, now(), keepStarred, limit);
}

/** Oldest first; all of them without a limit. */
export async function seqsOf(
  { rows, search }: Asked,
  filter: MessageFilter,
  range: SeqRange = {},
  limit?: number,
): Promise<number[]> {
  if (isBlank(filter.q)) return rows.matching.seqs(filter, range, limit);
  return (await search.all(filter.q, filter, range)).slice(0, limit);
}

export async function walk(
  asked: Asked,
  filter: MessageFilter,
  { after, limit = 1000 }: { after?: string; limit?: number },
): Promise<string[]> {
  const { rows } = asked;
  let range: SeqRange = after === undefined ? {} : { after: rows.lastSeqUpTo(after) };
  for (;;) {
    const seqs = await seqsOf(asked, filter, range, limit);
    const ids = await idsOf(rows, seqs);
    if (ids.length > 0 || seqs.length === 0) return ids;
    range = { after: seqs.at(-1) ?? 0 };
  }
}

/** Without those that are gone. */
async function idsOf(rows: Rows, seqs: readonly number[]): Promise<string[]> {
  const ids: string[] = [];
  for (const seq of seqs) {
    if (rows.turn.isOver) await rows.turn.another();
    const row = rows.bySeq(seq);
    if (row === null) continue;
    rows.turn.spend(charsOf(row));
    ids.push(row.id);
  }
  return ids;
}

function cursorOf(rows: Rows, id: string): number {
  const seq = rows.seqOf(id);
  if (seq === null) throw new StoreError("unknown_cursor", "the cursor names no stored message");
  return seq;
}

const isBlank = (q: string | undefined): q is undefined => q === undefined || q.trim() === "";
