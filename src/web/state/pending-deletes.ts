// Mail that was deleted on the page but not yet on the server: there is still an undo.
const pending = new Set<string>();

export const isPendingDelete = (id: string): boolean => pending.has(id);

export function holdDelete(ids: readonly string[]): void {
  for (const id of ids) pending.add(id);
}

export function releaseDelete(ids: readonly string[]): void {
  for (const id of ids) pending.delete(id);
}
