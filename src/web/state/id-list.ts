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
  const next = head.concat(placed, tail);
  return isLast || tail.length > 0 ? next : next.concat(undefined);
}

/** Puts ids where they belong by age; ids already listed are left alone. One pass, however many they are. */
export function insertIds(list: IdList, ids: readonly string[]): IdList {
  const next: (string | undefined)[] = [];
  const newest = list.find((id) => id !== undefined) ?? "";
  let done = 0;
  const copyUntil = (end: number) => {
    for (; done < end; done++) next.push(list[done]);
  };
  for (const id of newestFirst(ids)) {
    const isNewest = done === 0 && list[0] === undefined && id > newest;
    if (!isNewest) copyUntil(placeOf(list, id, done));
    if (list[done] !== id) next.push(id);
  }
  copyUntil(list.length);
  return next;
}

/** Lays the newest page over the beginning, where it may reach into a gap; what is listed beside it stays. */
export function renewHead(list: IdList, page: readonly string[], isLast: boolean): IdList {
  const newest = list.find((id) => id !== undefined) ?? "";
  const oldest = isLast ? "" : page.at(-1);
  if (oldest === undefined) return list;
  const pushed = insertIds(
    list,
    page.filter((id) => id > newest),
  );
  const beside = pushed.filter((id) => id !== undefined && id >= oldest) as string[];
  return placePage(pushed, 0, newestFirst([...page, ...beside]), isLast);
}

/** Takes ids out; with `inHoles`, an id not fetched yet shortens the hole it must be in. */
export function removeIds(list: IdList, ids: ReadonlySet<string>, inHoles: boolean): IdList {
  const next = list.filter((id) => id === undefined || !ids.has(id));
  if (!inHoles || list.length - next.length === ids.size) return next;
  const listed = new Set(list);
  const filled = new Set<number>();
  let place = 0;
  let taken = 0;
  for (const id of newestFirst(ids)) {
    if (listed.has(id)) continue;
    const found = placeOf(next, id, place);
    taken = found === place ? taken + 1 : 1;
    place = found;
    if (place >= taken && next[place - taken] === undefined) filled.add(place - taken);
  }
  return next.filter((_, index) => !filled.has(index));
}

/** Whether an id that is not listed may be one of those not fetched yet. */
export function isInGap(list: IdList, id: string): boolean {
  const place = placeOf(list, id);
  return place > 0 && list[place - 1] === undefined;
}

/** Whether this mail, which is not listed, is one of those not fetched yet if the list was put together after it came. */
export function isCounted(list: IdList, id: string): boolean {
  const newest = list.find((other) => other !== undefined);
  return newest !== undefined && id < newest && isInGap(list, id);
}

/** A stretch that is not fetched yet, between two ids that are. */
export interface Gap {
  readonly after: string;
  readonly until: string;
}

/** The first gap between two listed ids, of which `newer` stands first. */
export function firstGap(list: IdList, newer: string, older: string): Gap | undefined {
  const end = list.indexOf(older);
  const hole = list.indexOf(undefined, list.indexOf(newer) + 1);
  if (hole === -1 || hole >= end || !list.includes(newer)) return undefined;
  const after = list[hole - 1];
  const until = list.slice(hole, end + 1).find((id) => id !== undefined);
  return after === undefined || until === undefined ? undefined : { after, until };
}

/** Puts what was found into a gap, which then has no holes; nothing happens where its ends are gone. */
export function fillGap(list: IdList, { after, until }: Gap, found: readonly string[]): IdList {
  const start = list.indexOf(after) + 1;
  const end = list.indexOf(until);
  if (start === 0 || end === -1) return list;
  const known = list.slice(start, end).filter((id) => id !== undefined);
  return list.slice(0, start).concat(newestFirst([...known, ...found]), list.slice(end));
}

function newestFirst(ids: Iterable<string>): string[] {
  return [...new Set(ids)].sort((a, b) => (a < b ? 1 : -1));
}

/** The index of this id or the first older one, or the end; nothing before `from` is looked at. */
export function placeOf(list: IdList, id: string, from = 0): number {
  let place = from;
  for (; place < list.length; place++) {
    const other = list[place];
    if (other !== undefined && other <= id) break;
  }
  return place;
}
