// Mail that was deleted on the page but not yet on the server: first there is still an undo, then the
// server was told and its event is awaited.
import { rowOf } from "./rows.ts";

const undoable = new Set<string>();
const sent = new Set<string>();

export const isPendingDelete = (id: string): boolean => undoable.has(id) || sent.has(id);
export const undoableIds = (): ReadonlySet<string> => undoable;

export function holdDelete(ids: readonly string[]): void {
  for (const id of ids) undoable.add(id);
}

export function noteSentDelete(ids: readonly string[]): void {
  for (const id of ids) {
    undoable.delete(id);
    sent.add(id);
  }
}

export function releaseDelete(ids: readonly string[]): void {
  for (const id of ids) {
    undoable.delete(id);
    sent.delete(id);
  }
}

/** The server has nothing left to delete. */
export function releaseAllDeletes(): void {
  undoable.clear();
  sent.clear();
}

/** What the server still counts and the page does not. */
export const countUndoable = () => ({ total: undoable.size, unread: countUnread(undoable) });

export function countUnread(ids: Iterable<string>): number {
  return [...ids].filter((id) => rowOf(id)?.peek().is_read === false).length;
}
