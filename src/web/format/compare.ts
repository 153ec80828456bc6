// Compares two texts line by line and marks the words that differ, to show the texts side by side.
import { type Change, diffLines, diffWordsWithSpace } from "diff";

export interface ComparedPiece {
  readonly text: string;
  readonly isMarked: boolean;
}

export type ComparedRow =
  | { readonly left: readonly ComparedPiece[]; readonly right: readonly ComparedPiece[] }
  | { readonly equal: number };

const CONTEXT_LINES = 3;
/** Without a limit, comparing long texts that have no common lines can take minutes. */
const TIMEOUT_MS = 2000;

/** Undefined if the comparison takes too long. */
export function compareTexts(a: string, b: string): ComparedRow[] | undefined {
  const changes = diffLines(lineEnded(a), lineEnded(b), { timeout: TIMEOUT_MS });
  if (!changes) return undefined;
  const rows: ComparedRow[] = [];
  for (let at = 0; at < changes.length; at++) {
    const [change, next] = [changes[at], changes[at + 1]];
    if (!change) continue;
    if (!change.removed && !change.added) rows.push(...equalRows(linesOf(change), at === 0, !next));
    else if (change.removed && next?.added) {
      rows.push(...changedRows(linesOf(change), linesOf(next)));
      at++;
    } else
      rows.push(...changedRows(change.removed ? linesOf(change) : [], change.added ? linesOf(change) : []));
  }
  return rows;
}

const lineEnded = (text: string) => `${text.replaceAll("\r\n", "\n").trimEnd()}\n`;

const linesOf = ({ value }: Change) => value.replace(/\n$/, "").split("\n");

function equalRows(lines: readonly string[], isFirst: boolean, isLast: boolean): ComparedRow[] {
  const show = (text: string): ComparedRow => {
    const pieces = [{ text, isMarked: false }];
    return { left: pieces, right: pieces };
  };
  const before = isFirst ? [] : lines.slice(0, CONTEXT_LINES);
  const rest = lines.slice(before.length);
  const behind = isLast ? [] : rest.slice(-CONTEXT_LINES);
  const equal = rest.length - behind.length;
  return [...before.map(show), ...(equal > 0 ? [{ equal }] : []), ...behind.map(show)];
}

function changedRows(removed: readonly string[], added: readonly string[]): ComparedRow[] {
  return Array.from({ length: Math.max(removed.length, added.length) }, (_, index) => {
    const [left, right] = [removed[index], added[index]];
    const isPair = left !== undefined && right !== undefined;
    const words = isPair && diffWordsWithSpace(left, right, { timeout: TIMEOUT_MS });
    if (!words) return { left: whole(left), right: whole(right) };
    const side = (isOther: (word: Change) => boolean) =>
      words
        .filter((word) => !isOther(word))
        .map(({ value, added, removed }) => ({ text: value, isMarked: added || removed }));
    return { left: side(({ added }) => added), right: side(({ removed }) => removed) };
  });
}

const whole = (text: string | undefined): ComparedPiece[] =>
  text === undefined ? [] : [{ text, isMarked: true }];
