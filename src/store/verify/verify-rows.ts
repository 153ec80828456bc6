// Whether the row index is what the log says; a part of `mailkeep verify`. Changes nothing.
import { isIndexDamage } from "../errors.ts";
import type { MessageRow } from "../rows/row.ts";
import type { Rows } from "../rows/rows.ts";
import type { StoreProblem } from "./problem.ts";

const PAGE = 1000;

/** Rows may be right and what filters and counts them wrong. */
export function compareIndex(log: Rows, index: Rows, lost: ReadonlySet<number>): StoreProblem[] {
  const problems = compareRows(log, index, lost);
  const fault = problems.length > 0 ? null : (countsFault(log, index) ?? rowsFault(index));
  if (fault !== null)
    problems.push({ kind: "index_wrong", message: `${fault}; 'mailkeep reindex' rebuilds the index` });
  return problems;
}

function countsFault(log: Rows, index: Rows): string | null {
  const counts = ({ state: { messages, unread, bytes } }: Rows) => ({ messages, unread, bytes });
  const areRight = index.hasSoundState && Bun.deepEquals(counts(log), counts(index));
  return areRight ? null : "the index counts wrongly";
}

function rowsFault(index: Rows): string | null {
  const check = index.startCheck();
  try {
    while (check.step());
    return null;
  } catch (error) {
    if (!isIndexDamage(error)) throw error;
    return (error as Error).message;
  }
}

/** What a row says of a lost body cannot be compared. */
function compareRows(log: Rows, index: Rows, lost: ReadonlySet<number>): StoreProblem[] {
  const problems: StoreProblem[] = [];
  const expected = walk(log);
  const stored = walk(index);
  let [left, right] = [expected.next(), stored.next()];
  while (!left.done || !right.done) {
    const seqs = [left.done ? Infinity : left.value.seq, right.done ? Infinity : right.value.seq] as const;
    if (!left.done && seqs[0] < seqs[1]) {
      problems.push({
        kind: "row_missing",
        message: `message ${left.value.id} is in the log but not in the index`,
      });
      left = expected.next();
    } else if (!right.done && seqs[1] < seqs[0]) {
      problems.push({
        kind: "row_superfluous",
        message: `message ${right.value.id} is in the index but not in the log`,
      });
      right = stored.next();
    } else {
      const isLost = lost.has(seqs[0]);
      if (!isLost && !left.done && !right.done && !Bun.deepEquals(left.value, right.value)) {
        problems.push({
          kind: "row_differs",
          message: `message ${left.value.id} differs between log and index`,
        });
      }
      [left, right] = [expected.next(), stored.next()];
    }
  }
  return problems;
}

export function* walk(rows: Rows): Generator<MessageRow, undefined> {
  let page = rows.after(0, PAGE);
  while (page.length > 0) {
    yield* page;
    page = rows.after(page.at(-1)?.seq ?? 0, PAGE);
  }
}
