// Which rows a filter matches. A filter by text reads all of them, however long they are: it goes step by step, and
// others have their turn in between. What arrives meanwhile is not a part of the answer.
import type { MessageFilter } from "../../model/index.ts";
import { pageSql, readsTexts, type SeqRange, selectAmong, selectSeqs, sinceSql } from "./filter-sql.ts";
import { stepAfter } from "./long-rows.ts";
import type { ReadingTurn } from "./reading-turn.ts";
import type { RowsState } from "./state.ts";
import type { Statements } from "./statements.ts";

export interface Found {
  /** Newest first. */
  readonly seqs: readonly number[];
  /** All that match, before pagination. */
  readonly total: number;
}

const ROWS_PER_STEP = 2000;
/** What an ordinary row costs, as if it were text. */
const CHARS_PER_ROW = 64;

export interface MatchingRowsParts {
  readonly statements: Statements;
  readonly turn: ReadingTurn;
  readonly state: () => Readonly<RowsState>;
}

export class MatchingRows {
  readonly #parts: MatchingRowsParts;

  constructor(parts: MatchingRowsParts) {
    this.#parts = parts;
  }

  async page(filter: MessageFilter, range: SeqRange, limit: number, offset: number): Promise<Found> {
    if (readsTexts(filter)) return pageOf(await this.seqs(filter), range, limit, offset);
    const { sql, params } = pageSql(filter, range);
    const found = this.#parts.statements.all<{ seq: number }>(sql, ...params, limit, offset);
    return { seqs: found.map(({ seq }) => seq), total: await this.count(filter) };
  }

  async count(filter: MessageFilter): Promise<number> {
    const asked = conditionsIn(filter);
    const { messages, unread } = this.#parts.state();
    if (asked.length === 0) return messages;
    if (asked.length === 1 && asked[0] === "unread") return unread;
    let count = 0;
    for await (const step of this.#steps(filter, {})) {
      const { sql, params } = selectSeqs(filter, step);
      const counted = `SELECT count(*) AS n FROM (${sql})`;
      count += this.#parts.statements.first<{ n: number }>(counted, ...params)?.n ?? 0;
    }
    return count;
  }

  /** The first that match, oldest first. */
  async seqs(
    filter: MessageFilter,
    range: SeqRange = {},
    limit = Number.MAX_SAFE_INTEGER,
  ): Promise<number[]> {
    let found: number[] = [];
    for await (const step of this.#steps(filter, range)) {
      const { sql, params } = selectSeqs(filter, step);
      // One string with all numbers is several times faster than one object for each.
      const listed = `SELECT json_group_array(seq) AS list FROM (${sql} ORDER BY seq LIMIT ?)`;
      const answer = this.#parts.statements.first<{ list: string }>(listed, ...params, limit - found.length);
      found = found.concat(JSON.parse(answer?.list ?? "[]"));
      if (found.length === limit) break;
    }
    return found;
  }

  /** Those of the seqs that match; both oldest first. */
  async among(seqs: readonly number[], filter: MessageFilter): Promise<number[]> {
    const { sql, params } = selectAmong(filter);
    const found: number[] = [];
    let at = 0;
    const range = { after: (seqs[0] ?? 0) - 1, before: (seqs.at(-1) ?? 0) + 1 };
    for await (const { before } of this.#steps(filter, range)) {
      const next = at + countBelow(seqs.slice(at), before);
      const some = JSON.stringify(seqs.slice(at, next));
      for (const { seq } of this.#parts.statements.all<{ seq: number }>(sql, some, ...params))
        found.push(seq);
      at = next;
    }
    return found;
  }

  /** One step that is all of it, unless texts must be read. */
  async *#steps(filter: MessageFilter, range: SeqRange): AsyncGenerator<Required<SeqRange>, void, void> {
    const { statements, turn, state } = this.#parts;
    const before = range.before ?? state().last_seq + 1;
    let after = range.after ?? 0;
    if (!readsTexts(filter)) {
      yield { after, before };
      return;
    }
    if (filter.since !== undefined) {
      const { sql, params } = sinceSql(filter.since);
      after = Math.max(after, statements.first<{ seq: number }>(sql, ...params)?.seq ?? 0);
    }
    while (after + 1 < before) {
      if (turn.isOver) await turn.another();
      const { end, chars } = stepAfter(statements, after, Math.min(after + ROWS_PER_STEP, before - 1));
      turn.spend(chars + (end - after) * CHARS_PER_ROW);
      yield { after, before: end + 1 };
      after = end;
    }
  }
}

/** A page of all that match, which are given oldest first. */
export function pageOf(
  matching: readonly number[],
  { before }: SeqRange,
  limit: number,
  offset: number,
): Found {
  const end = (before === undefined ? matching.length : countBelow(matching, before)) - offset;
  const page = matching.slice(Math.max(0, end - limit), Math.max(0, end));
  return { seqs: page.reverse(), total: matching.length };
}

function countBelow(ascending: readonly number[], bound: number): number {
  const first = ascending.findIndex((seq) => seq >= bound);
  return first < 0 ? ascending.length : first;
}

/** The names of the fields that filter anything here. */
const conditionsIn = (filter: MessageFilter): string[] =>
  Object.entries(filter)
    .filter(([name, value]) => name !== "q" && value !== undefined && !isNoTags(value))
    .map(([name]) => name);

const isNoTags = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
