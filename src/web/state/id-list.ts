// The ids of a view, newest first, as long as the whole result: a hole is a mail not fetched yet.
// Ids sort by arrival, so a place can be found for any id. Pure functions; no list is ever changed.
export type IdList = readonly (string | undefined)[];

export const EMPTY: IdList = [];

export function listOfLength(length: number): IdList {
  return new Array<string | undefined>(length).fill(undefined);
}

/** Lays a fetched page over the list at `start`. `isLast`: nothing follows this page. */
export function placePage(list: IdList, start: number, page: readonly string[], isLast: boolean): IdList {
  const head = list.slice(0, start);
  // Mail that came or went meanwhile moves the others: no id of this page may stand before or after it too.
  const newest = head.findLast((id) => id !== undefined);
  const placed = newest === undefined ? page : page.filter((id) => id < newest);
  const last = placed.at(-1);
  const rest = isLast ? [] : list.slice(start + placed.length);
  const tail = last === undefined ? rest : rest.filter((id) => id === undefined || id < last);
  const next = [...head, ...placed, ...tail];
  return isLast || tail.length > 0 ? next : [...next, undefined];
}

/** Puts ids where they belong by age; ids already listed are left alone. */
export function insertIds(list: IdList, ids: readonly string[]): IdList {
  const newestFirst = [...ids].sort((a, b) => (a < b ? 1 : -1));
  const first = list[0];
  if (first === undefined || newestFirst.every((id) => id > first)) return [...newestFirst, ...list];
  const known = new Set(list);
  const fresh = newestFirst.filter((id) => !known.has(id));
  const next = [...list];
  for (const id of fresh) next.splice(placeOf(next, id), 0, id);
  return next;
}

/** Takes ids out; with `inHoles`, an id not fetched yet shortens the hole it must be in. */
export function removeIds(list: IdList, ids: ReadonlySet<string>, inHoles: boolean): IdList {
  const next = list.filter((id) => id === undefined || !ids.has(id));
  if (!inHoles || list.length - next.length === ids.size) return next;
  const listed = new Set(list);
  for (const id of ids) {
    if (listed.has(id)) continue;
    const hole = placeOf(next, id) - 1;
    if (hole >= 0 && next[hole] === undefined) next.splice(hole, 1);
  }
  return next;
}

/** The index of the first older id, or the end. */
function placeOf(list: IdList, id: string): number {
  const place = list.findIndex((other) => other !== undefined && other < id);
  return place === -1 ? list.length : place;
}
