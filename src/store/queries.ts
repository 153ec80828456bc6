// Answers lists, counts and searches of all inboxes or of some, from the rows and the text index. Every answer
// includes all changes that any node acknowledged before; with `--stale-reads`, those of other nodes may be missing.
import { nextTurn } from "../lib/runtime.ts";
import { firstUlidAt } from "../lib/ulid.ts";
import type { ListQuery, MessageFilter } from "../model/index.ts";
import type { SearchNode } from "../query/index.ts";
import { joinAlternatives, type Question, questionOf, split } from "./question.ts";
import {
  inboxSql,
  LAST_SEQ_UP_TO_ID,
  pageSql,
  type RowFilter,
  readsTexts,
  type SeqRange,
  selectAmong,
  selectSeqs,
} from "./rows/filter-sql.ts";
import { summaryOf } from "./rows/row.ts";
import { type MessagePage, type OldestMessage, type OldestQuery, type Scope, StoreError } from "./store.ts";
import type { Writer, WriterParts } from "./writer.ts";

export interface MailParts extends WriterParts {
  readonly writer: Writer;
}

/** If the text index finds more than this, filtering all rows is faster than looking up each hit. */
const FEW_HITS = 2000;
/** A filter such as `subject` reads every row. After this many rows, other work gets a turn. */
const ROWS_PER_STEP = 10_000;

interface Found {
  /** Newest first. */
  readonly seqs: readonly number[];
  readonly total: number;
}

export class Queries {
  constructor(
    protected readonly parts: MailParts,
    protected readonly scope: Scope,
  ) {}

  async refresh(): Promise<void> {
    const { writer, log } = this.parts;
    writer.assertOpen();
    if (log.shared !== null) await log.shared.refresh();
  }

  /** If all mails of a page were deleted during the search, the page shows the next ones. */
  async list({ filter, limit, before, offset = 0 }: ListQuery): Promise<MessagePage> {
    await this.refresh();
    let range: SeqRange = before === undefined ? {} : { before: this.#cursor(before) };
    const question = this.#questionOf(filter);
    if (question === null) return { messages: [], total: 0, next_cursor: null };
    for (let skipped = offset; ; skipped = 0) {
      const { seqs, total } = await this.#page(question, range, limit + 1, skipped);
      const messages = this.parts.rows.bySeqs(seqs.slice(0, limit)).map(summaryOf);
      const last = messages.at(-1)?.id ?? null;
      if (last !== null || seqs.length <= limit)
        return { messages, total, next_cursor: seqs.length > limit ? last : null };
      range = { before: seqs[limit - 1] ?? 0 };
    }
  }

  async count(filter: MessageFilter): Promise<number> {
    await this.refresh();
    const question = this.#questionOf(filter);
    if (question === null) return 0;
    if (isOfRows(question)) return this.#countRows(question.filter);
    if (isOfText(question)) return (await this.parts.search.page(question.match, 0, 0, 0)).total;
    return (await this.#matching(question)).length;
  }

  /** Oldest first. Without a limit, all of them. */
  protected async seqs(filter: MessageFilter, range: SeqRange = {}, limit?: number): Promise<number[]> {
    const question = this.#questionOf(filter);
    if (question === null) return [];
    if (isOfRows(question)) return this.#seqsOfRows(question.filter, range, limit);
    const { after = 0 } = range;
    return (await this.#matching(question)).filter((seq) => seq > after).slice(0, limit);
  }

  /** If all messages found were deleted during the search, the search goes on after them. */
  async walk(
    filter: MessageFilter,
    { after, limit = 1000 }: { after?: string; limit?: number } = {},
  ): Promise<string[]> {
    await this.refresh();
    let range: SeqRange = after === undefined ? {} : { after: this.#lastSeqUpTo(after) };
    for (;;) {
      const seqs = await this.seqs(filter, range, limit);
      const ids = this.parts.rows.bySeqs(seqs).map(({ id }) => id);
      if (ids.length > 0 || seqs.length === 0) return ids;
      range = { after: seqs.at(-1) ?? 0 };
    }
  }

  async matching(filter: MessageFilter, ids: readonly string[]): Promise<string[]> {
    const rows = ids.flatMap((id) => this.parts.rows.byId(id, this.scope) ?? []);
    const question = this.#questionOf(filter);
    const seqs = ascending(rows.map(({ seq }) => seq));
    const found = new Set(question === null ? [] : await this.#among(question, seqs));
    return rows.filter(({ seq }) => found.has(seq)).map(({ id }) => id);
  }

  /** Which of the messages match, oldest first. Reads the rows and asks the text index before it waits for anything. */
  async #among({ match, filter, mixed }: Question, seqs: readonly number[]): Promise<number[]> {
    const { rows, search } = this.parts;
    const { sql, params } = selectAmong(filter);
    const found = rows.all<{ seq: number }>(sql, JSON.stringify(seqs), ...params).map(({ seq }) => seq);
    const within: RowFilter = filter.inboxes ? { inboxes: filter.inboxes } : {};
    const [first = 0] = seqs;
    const end = (seqs.at(-1) ?? 0) + 1;
    const hits = match === null ? [] : [search.page(match, end, end - first, 0)];
    const groups = mixed.map(async ({ kind, of }) => {
      const nodes = kind === "all" ? [{ kind, of }] : joinAlternatives(of);
      return (await Promise.all(nodes.map((node) => this.#among(split(node, within), seqs)))).flat();
    });
    const asked = [...hits.map(async (page) => (await page).seqs), ...groups];
    return (await Promise.all(asked)).map(ascending).reduce(common, found);
  }

  async tags(): Promise<{ tag: string; count: number }[]> {
    await this.refresh();
    const { rows } = this.parts;
    const { scope } = this;
    if (scope === null) return rows.all("SELECT tag, count(*) AS count FROM tag GROUP BY tag ORDER BY tag");
    const source = "message m INDEXED BY message_inbox, json_each(m.tags) AS one";
    const sql = `SELECT one.value AS tag, count(*) AS count FROM ${source} WHERE ${inboxSql(scope)}`;
    return rows.all(`${sql} GROUP BY one.value ORDER BY one.value`, ...scope);
  }

  /** Ids begin with the time of arrival. If the clock was set back, ids are ahead, and mail seems younger. */
  async oldest({ keepStarred, before, limit }: OldestQuery): Promise<OldestMessage[]> {
    await this.refresh();
    const { scope } = this;
    const due =
      before === undefined ? Number.MAX_SAFE_INTEGER : this.#lastSeqUpTo(firstUlidAt(before.getTime()));
    const within = scope === null ? "" : ` AND ${inboxSql(scope)}`;
    const where = `seq <= ?${keepStarred ? " AND is_starred = 0" : ""}${within}`;
    const sql = `SELECT id, size FROM message m WHERE ${where} ORDER BY seq LIMIT ?`;
    return this.parts.rows.all(sql, due, ...(scope ?? []), limit);
  }

  #questionOf(filter: MessageFilter): Question | null {
    return questionOf(filter, this.parts.now().getTime(), this.scope);
  }

  async #page(question: Question, range: SeqRange, limit: number, offset: number): Promise<Found> {
    const { before = Number.MAX_SAFE_INTEGER } = range;
    const { filter } = question;
    if (isOfText(question)) {
      const { seqs, total } = await this.parts.search.page(question.match, before, limit, offset);
      return { seqs: [...seqs], total };
    }
    if (!isOfRows(question)) return pageOf(await this.#matching(question), before, limit, offset);
    if (readsTexts(filter)) return pageOf(await this.#seqsOfRows(filter), before, limit, offset);
    const { sql, params } = pageSql(filter, range);
    const found = this.parts.rows.all<{ seq: number }>(sql, ...params, limit, offset);
    return { seqs: found.map(({ seq }) => seq), total: await this.#countRows(filter) };
  }

  /** Everything that matches, oldest first. */
  async #matching({ match, filter, mixed }: Question): Promise<number[]> {
    let hits = match === null ? null : [...(await this.parts.search.all(match))];
    const within: RowFilter = filter.inboxes ? { inboxes: filter.inboxes } : {};
    for (const { kind, of } of mixed) {
      const found =
        kind === "all" ? await this.#matching(split({ kind, of }, within)) : await this.#anyOf(of, within);
      hits = hits === null ? found : common(hits, found);
    }
    if (hits === null) return this.#seqsOfRows(filter);
    if (conditionsIn(filter).length === 0) return hits;
    if (hits.length > FEW_HITS) return common(hits, await this.#seqsOfRows(filter));
    const { sql, params } = selectAmong(filter);
    const found = this.parts.rows.all<{ seq: number }>(sql, JSON.stringify(hits), ...params);
    return found.map(({ seq }) => seq);
  }

  async #anyOf(nodes: readonly SearchNode[], within: RowFilter): Promise<number[]> {
    const found = new Set<number>();
    for (const node of joinAlternatives(nodes))
      for (const seq of await this.#matching(split(node, within))) found.add(seq);
    return ascending(found);
  }

  async #countRows(filter: RowFilter): Promise<number> {
    const asked = conditionsIn(filter);
    const { messages, unread } = this.parts.rows.countsOf(filter.inboxes ?? null);
    if (asked.length === 0) return messages;
    if (asked.length === 1 && asked[0] === "unread") return unread;
    let count = 0;
    for await (const step of this.#steps(filter, {})) {
      const { sql, params } = selectSeqs(filter, step);
      count += this.parts.rows.first<{ n: number }>(`SELECT count(*) AS n FROM (${sql})`, ...params)?.n ?? 0;
    }
    return count;
  }

  async #seqsOfRows(
    filter: RowFilter,
    range: SeqRange = {},
    limit = Number.MAX_SAFE_INTEGER,
  ): Promise<number[]> {
    let found: number[] = [];
    for await (const step of this.#steps(filter, range)) {
      const { sql, params } = selectSeqs(filter, step);
      // One string with all numbers is several times faster than one object for each.
      const listed = `SELECT json_group_array(seq) AS list FROM (${sql} ORDER BY seq LIMIT ?)`;
      const answer = this.parts.rows.first<{ list: string }>(listed, ...params, limit - found.length);
      found = found.concat(JSON.parse(answer?.list ?? "[]"));
      if (found.length === limit) break;
    }
    return found;
  }

  /** Splits the range if texts must be read. The parts leave out mail that arrives meanwhile. */
  async *#steps(filter: RowFilter, range: SeqRange): AsyncGenerator<SeqRange, void, void> {
    if (!readsTexts(filter)) {
      yield range;
      return;
    }
    const end = range.before ?? (this.parts.rows.newest()?.seq ?? 0) + 1;
    for (let after = range.after ?? 0; after + 1 < end; after += ROWS_PER_STEP) {
      yield { after, before: Math.min(end, after + ROWS_PER_STEP + 1) };
      await nextTurn();
    }
  }

  /** The seq of the newest message up to this id; 0 if there is none. */
  #lastSeqUpTo(id: string): number {
    return this.parts.rows.first<{ seq: number }>(`SELECT ${LAST_SEQ_UP_TO_ID} AS seq`, id)?.seq ?? 0;
  }

  #cursor(id: string): number {
    const row = this.parts.rows.byId(id, this.scope);
    if (row === null)
      throw new StoreError("unknown_cursor", "the parameter before must be the id of a stored message");
    return row.seq;
  }
}

/** Takes all matching seqs, oldest first. Returns one page of them, newest first. */
function pageOf(matching: readonly number[], before: number, limit: number, offset: number): Found {
  const older = matching.findIndex((seq) => seq >= before);
  const end = (older < 0 ? matching.length : older) - offset;
  const page = matching.slice(Math.max(0, end - limit), Math.max(0, end));
  return { seqs: page.reverse(), total: matching.length };
}

const ascending = (seqs: Iterable<number>): number[] =>
  [...new Set(seqs)].sort((left, right) => left - right);

/** The numbers in both lists, which are ascending. */
function common(left: readonly number[], right: readonly number[]): number[] {
  const both: number[] = [];
  let at = 0;
  for (const seq of right) {
    while (at < left.length && (left[at] ?? 0) < seq) at++;
    if (left[at] === seq) both.push(seq);
  }
  return both;
}

/** The names of the fields that filter. Inboxes do not count, because the text index can filter by them. */
const conditionsIn = ({ inboxes: _, ...filter }: RowFilter): string[] =>
  Object.entries(filter)
    .filter(([, value]) => value !== undefined && !isNoTags(value))
    .map(([name]) => name);

const isNoTags = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

const isOfRows = ({ match, mixed }: Question): boolean => match === null && mixed.length === 0;

const isOfText = (question: Question): question is Question & { match: string } =>
  question.match !== null && question.mixed.length === 0 && conditionsIn(question.filter).length === 0;
