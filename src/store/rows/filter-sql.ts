// Turns a filter, without `q`, into SQL that reads one index (of inboxes, of tags, of a flag, of all facts) or the
// table itself.
import { firstUlidAt } from "../../lib/ulid.ts";
import type { MessageFilter } from "../../model/index.ts";
import { type Fact, foldCase, type SearchNode, type Since } from "../../query/index.ts";

/** A filter without `q`; `where` holds the facts from `q` that no other field holds. */
export type RowFilter = Omit<MessageFilter, "q"> & {
  readonly where?: SearchNode;
  readonly inboxes?: readonly string[];
};

export interface SqlPart {
  readonly sql: string;
  readonly params: readonly (string | number)[];
}

type AddCondition = (clause: string, ...values: (string | number)[]) => void;

/** Bounds on seq, both exclusive. */
export interface SeqRange {
  readonly after?: number;
  readonly before?: number;
}

const folded = (column: string) => `coalesce(m.folded_${column}, lower(m.${column}))`;
export const LAST_SEQ_UP_TO_ID =
  "coalesce((SELECT seq FROM message WHERE id <= ? ORDER BY id DESC LIMIT 1), 0)";

function conditions(filter: RowFilter, range: SeqRange): { clauses: string[]; params: (string | number)[] } {
  const clauses: string[] = [];
  const params: (string | number)[] = [];
  const add: AddCondition = (clause, ...values) => {
    clauses.push(clause);
    params.push(...values);
  };
  // Even the first page gets an upper bound, so that all pages use the same prepared query.
  add("m.seq < ?", range.before ?? Number.MAX_SAFE_INTEGER);
  if (range.after !== undefined) add("m.seq > ?", range.after);
  if (filter.inboxes) add(inboxSql(filter.inboxes), ...filter.inboxes);
  if (filter.starred) add("m.is_starred = 1");
  if (filter.unread) add("m.is_read = 0");
  if (filter.has_attachments) add("m.has_attachments = 1");
  if (filter.subject !== undefined) add(`instr(${folded("subject")}, ?) > 0`, foldCase(filter.subject));
  if (filter.sender !== undefined) add(`instr(${folded("sender")}, ?) > 0`, foldCase(filter.sender));
  if (filter.recipient !== undefined)
    addRecipient(foldCase(filter.recipient), "instr(one.value, ?) > 0", add);
  if (filter.to !== undefined) addRecipient(foldCase(filter.to), "one.value = ?", add);
  if (filter.from !== undefined) add(`${folded("sender")} = ?`, foldCase(filter.from));
  if (filter.header_from !== undefined) add("instr(m.header_from, ?) > 0", foldCase(filter.header_from));
  if (filter.header_to !== undefined) add("instr(m.header_to, ?) > 0", foldCase(filter.header_to));
  for (const { field, text, isNegated } of filter.parts ?? []) {
    const column = field === "subject" ? folded(field) : `m.${field}`;
    add(`instr(${column}, ?) ${isNegated ? "=" : ">"} 0`, foldCase(text));
  }
  if (filter.since !== undefined) addSince(filter.since, add);
  if (filter.where !== undefined) {
    const { sql, params } = factsSql(filter.where);
    add(sql, ...params);
  }
  return { clauses, params };
}

export const inboxSql = ({ length }: readonly string[]): string =>
  length === 1 ? "m.inbox = ?" : `m.inbox IN (${Array(length).fill("?").join(", ")})`;

/** The recipients are JSON. Parsing is slow, so rows without the address are skipped first. */
function addRecipient(address: string, test: string, add: AddCondition): void {
  const list = folded("recipients");
  add(`instr(${list}, ?) > 0`, JSON.stringify(address).slice(1, -1));
  add(`EXISTS (SELECT 1 FROM json_each(${list}) AS one WHERE ${test})`, address);
}

function addSince(since: Since, add: AddCondition): void {
  // The time in an id is never before `created`, so messages with older ids need not be read.
  const id = "time" in since ? firstUlidAt(since.time.getTime()) : since.id;
  add(`m.seq > ${LAST_SEQ_UP_TO_ID}`, id);
  if ("time" in since) add("m.created > ?", since.time.getTime());
}

function factsSql(node: SearchNode): SqlPart {
  if (node.kind === "text") throw new TypeError("texts are not in the rows");
  if (node.kind === "fact") {
    const { sql, params } = factSql(node.fact);
    return { sql: node.isNegated ? `NOT (${sql})` : `(${sql})`, params };
  }
  const parts = node.of.map(factsSql);
  const sql = parts.map((part) => part.sql).join(node.kind === "all" ? " AND " : " OR ");
  return { sql: `(${sql})`, params: parts.flatMap(({ params }) => params) };
}

const FLAG_COLUMNS = { read: "is_read", starred: "is_starred", attachment: "has_attachments" } as const;

function factSql(fact: Fact): SqlPart {
  switch (fact.fact) {
    case "tag":
      return { sql: "m.seq IN (SELECT seq FROM tag WHERE tag = ?)", params: [fact.tag] };
    case "tagged":
      return { sql: "m.seq IN (SELECT seq FROM tag)", params: [] };
    case "before":
    case "after":
      return { sql: `m.created ${fact.fact === "before" ? "<" : ">="} ?`, params: [fact.time] };
    case "larger":
    case "smaller":
      return { sql: `m.size ${fact.fact === "larger" ? ">" : "<"} ?`, params: [fact.bytes] };
    default:
      return { sql: `m.${FLAG_COLUMNS[fact.fact]} = ${Number(fact.is)}`, params: [] };
  }
}

/** Whether the texts of every row must be read. */
export const readsTexts = (filter: RowFilter): boolean =>
  TEXT_FILTERS.some((name) => filter[name] !== undefined);

const TEXT_FILTERS = [
  "subject",
  "sender",
  "recipient",
  "from",
  "to",
  "header_from",
  "header_to",
  "parts",
] as const;

const FLAGS = ["starred", "unread", "has_attachments"] as const;

function sourceOf(filter: RowFilter): string {
  if (filter.inboxes) return "message m INDEXED BY message_inbox";
  const [flag, ...others] = FLAGS.filter((name) => filter[name]);
  if (others.length > 0) return "message m INDEXED BY message_facts";
  if (flag !== undefined) return `message m INDEXED BY message_${flag}`;
  return filter.where && !readsTexts(filter) ? "message m INDEXED BY message_facts" : "message m";
}

const arm = (column: string, source: string, clauses: readonly string[]): string =>
  `SELECT ${column} FROM ${source} WHERE ${clauses.join(" AND ")}`;

/** Selects the seqs of all matching messages, in no particular order. */
export function selectSeqs(filter: RowFilter, range: SeqRange = {}): SqlPart {
  const { clauses, params } = conditions(filter, range);
  const tags = [...new Set(filter.tags ?? [])];
  // With inboxes and tags, the index of inboxes is read: an inbox usually has less mail than a tag.
  if (filter.inboxes) addTags(tags, clauses, params);
  if (filter.inboxes || tags.length === 0)
    return { sql: arm("m.seq AS seq", sourceOf(filter), clauses), params };
  // Limits on the tag's own seq column let SQLite start in the middle of its index.
  const tagClauses = ["t.tag = ?", ...clauses.map((clause) => clause.replace(/^m\.seq (?=[<>])/, "t.seq "))];
  const needsRow = clauses.some((clause) => !clause.startsWith("m.seq"));
  const source = needsRow ? "tag t CROSS JOIN message m ON m.seq = t.seq" : "tag t";
  const one = arm("t.seq AS seq", source, tagClauses);
  return {
    sql: tags.map(() => one).join(" UNION "),
    params: tags.flatMap((tag) => [tag, ...params]),
  };
}

/** A page of seqs, newest first. The caller adds limit and offset to the parameters. */
export function pageSql(filter: RowFilter, range: SeqRange): SqlPart {
  const { sql, params } = selectSeqs(filter, range);
  return { sql: `${sql} ORDER BY seq DESC LIMIT ? OFFSET ?`, params };
}

/** Selects the matching seqs of a JSON array (the first parameter), in the order of the array. */
export function selectAmong(filter: RowFilter): SqlPart {
  const { clauses, params } = conditions(filter, {});
  addTags(filter.tags ?? [], clauses, params);
  const source = "json_each(?) AS hit CROSS JOIN message m ON m.seq = hit.value";
  return { sql: arm("m.seq AS seq", source, clauses), params };
}

function addTags(tags: readonly string[], clauses: string[], params: (string | number)[]): void {
  if (tags.length === 0) return;
  const marks = tags.map(() => "?").join(", ");
  clauses.push(`EXISTS (SELECT 1 FROM tag t WHERE t.tag IN (${marks}) AND t.seq = m.seq)`);
  params.push(...tags);
}
