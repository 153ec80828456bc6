// The list on the page. `listed` is the server's answer, with holes for mail that is not fetched
// yet. `ids` adds the user's own changes: deleted mail is left out, used mail stays although it no
// longer matches. If the effect of an event is unclear, the list is fetched again.
import { batch, computed, effect, signal } from "@preact/signals";
import type { MessageList } from "../../model/index.ts";
import { type ApiFailure, countNewer, listMessages } from "../api/index.ts";
import { finished } from "../format/search-terms.ts";
import { splitRuns } from "../format/split-runs.ts";
import { hidden, isUpdatedSince, mailOf, putMail } from "./mails.ts";
import { soon, untilAnswered } from "./requests.ts";
import { filterKey, isFiltered, openedId, route } from "./route.ts";
import { groupsRuns } from "./settings.ts";

/** The id of a mail, or for a mail that is not fetched yet its place in the server's list. */
export type Key = string | number;
export const isId = (key: Key): key is string => typeof key === "string";
type Listed = readonly (string | undefined)[];

const PAGE = 100;
/** A page that is fetched for a mail begins this many rows above it. */
const ABOVE_ROWS = 40;
const NONE: ReadonlySet<string> = new Set();

const listed = signal<Listed>([]);
const listedIds = computed(() => new Set(listed.value));
export const listState = signal<"loading" | "ready" | ApiFailure>("loading");
const listedKey = signal<string | undefined>(undefined);
/** False while the list still shows the mails of the previous filter. */
export const isListed = computed(() => listedKey.value === filterKey.value);

export const cursor = signal<string | undefined>(undefined);
export const selected = signal<ReadonlySet<string>>(NONE);

/** The ids of deleted mail, each with the time when the page learned of the deletion. */
export const gone = signal<ReadonlyMap<string, number>>(new Map());

effect(() => {
  if (openedId.value) cursor.value = openedId.value;
});

/** The mails that were opened, selected or at the cursor while they matched the filter. */
let used = { key: "", ids: new Set<string>() };
effect(() => {
  if (used.key !== filterKey.value) used = { key: filterKey.value, ids: new Set() };
  for (const id of [openedId.value, cursor.value, ...selected.value])
    if (id && isListed.value && listedIds.value.has(id)) used.ids.add(id);
});

/** Used mails that match no longer. They stay in the list. */
const leaving = computed(() => {
  // `used` is no signal: a deletion changes it together with `gone`.
  gone.value;
  const stays = isListed.value && isFiltered.value ? [...used.ids] : [];
  return new Set(stays.filter((id) => !listedIds.value.has(id)));
});

/** After missed events, used and selected mail may be deleted. The page asks again only for the opened mail. */
export function forgetUsed(): void {
  used.ids = new Set([...used.ids].filter((id) => id === openedId.peek()));
  selected.value = NONE;
}

const overlaid = computed((): readonly Key[] => {
  const staying = [...leaving.value].sort();
  const keys: Key[] = [];
  for (const [place, id] of listed.value.entries()) {
    while (id !== undefined && (staying.at(-1) ?? "") > id) keys.push(staying.pop() ?? "");
    keys.push(id ?? place);
  }
  return [...keys, ...staying.reverse()].filter((key) => !hidden.value.has(String(key)));
});

const runNameOf = (id: string) => mailOf(id)?.peek().preview?.run;

export const runs = computed(() => (groupsRuns.value ? splitRuns(overlaid.value, runNameOf) : undefined));

export const ids = computed(() => runs.value?.flatMap(({ keys }) => keys) ?? overlaid.value);
export const isEmpty = computed(() => ids.value.length === 0);
export const hits = computed(() => ids.value.filter((key) => !leaving.value.has(String(key))).length);

let abort = new AbortController();
/** The mails in the rows on the screen, and in some rows below them. */
let sight: readonly Key[] = [];
let isFetching = false;

/** Fetches the beginning of the list and, if the filter has not changed, the visible part. */
export async function loadList(): Promise<void> {
  abort.abort();
  abort = new AbortController();
  const { signal } = abort;
  const isSame = isListed.peek();
  if (!isSame || listState.peek() !== "ready") listState.value = "loading";
  const explain = (failure: ApiFailure) =>
    batch(() => {
      listState.value = failure;
      // Old mail of this filter may stay. Mail of another filter would look like a result.
      if (isSame) return;
      listed.value = [];
      listedKey.value = undefined;
    });
  try {
    await untilAnswered(() => fetchList(isSame, signal), signal, explain);
  } catch {
    return;
  }
  isFetching = false;
  await placeOpened();
  void fetchMissing();
}

export const refreshSoon = soon(loadList);

async function fetchList(isSame: boolean, signal: AbortSignal): Promise<void> {
  const key = filterKey.peek();
  const { filter } = route.peek();
  const askedAt = performance.now();
  const start = isSame ? await startInSight(signal) : 0;
  const ask = (offset: number) => listMessages(filter, offset, PAGE, signal);
  const [head, part] = await Promise.all([ask(0), start > 0 ? ask(start) : undefined]);
  batch(() => {
    const top = take(head, askedAt);
    const isFresh = (id: string | undefined) =>
      id !== undefined && id > (top[0] ?? "") && isUpdatedSince(id, askedAt);
    const fresh = isSame && !isFiltered.peek() ? listed.peek().filter(isFresh) : [];
    const whole = place(new Array<string | undefined>(head.total).fill(undefined), 0, top);
    listed.value = [...fresh, ...place(whole, start, part ? take(part, askedAt) : [])];
    gone.value = new Map([...gone.peek()].filter(([id, at]) => at > askedAt || id === openedId.peek()));
    listedKey.value = key;
    listState.value = "ready";
  });
  if (part && part.total !== head.total) refreshSoon();
}

/** The offset to fetch the visible rows from. Asks the server: mail may have come or gone. */
async function startInSight(signal: AbortSignal): Promise<number> {
  const [first] = sight;
  if (first === undefined || first === ids.peek()[0]) return 0;
  const newer = typeof first === "number" ? first : await countNewer(route.peek().filter, first, signal);
  return newer + ABOVE_ROWS < PAGE ? 0 : newer - ABOVE_ROWS;
}

/** Fetches the list around a message that was opened by its URL, to show its neighbours. */
async function placeOpened(): Promise<void> {
  const id = openedId.peek();
  const { signal } = abort;
  if (!id || ids.peek().includes(id) || gone.peek().has(id)) return;
  const find = async () => {
    const newer = await countNewer(route.peek().filter, id, signal);
    await fetchPage(Math.max(0, newer - ABOVE_ROWS), signal);
  };
  // A message can be read even if its position in the list is unknown.
  await untilAnswered(find, signal).catch(() => undefined);
}

export function showRows(rows: readonly Key[]): void {
  sight = rows;
  void fetchMissing();
}

async function fetchMissing(): Promise<void> {
  if (isFetching) return;
  isFetching = true;
  const { signal } = abort;
  try {
    for (let start = firstMissing(), last = -1; start !== -1 && start !== last; start = firstMissing()) {
      // If an answer did not fill the hole, fetching it again does not help.
      last = start;
      await untilAnswered(() => fetchPage(start, signal), signal);
    }
  } catch {}
  if (!signal.aborted) isFetching = false;
}

/** Where the next page to fetch for `sight` begins; -1 if nothing is missing. */
function firstMissing(): number {
  if (listState.peek() !== "ready" || !isListed.peek()) return -1;
  const list = listed.peek();
  const isMissing = (key: Key) => typeof key === "number" && key < list.length && list[key] === undefined;
  const missing = Number(sight.find(isMissing) ?? -1);
  return missing > 0 && list[missing - 1] === undefined ? Math.max(0, missing - ABOVE_ROWS) : missing;
}

async function fetchPage(start: number, signal: AbortSignal): Promise<void> {
  const askedAt = performance.now();
  const page = await listMessages(route.peek().filter, start, PAGE, signal);
  listed.value = place(listed.peek(), start, take(page, askedAt));
  if (page.total !== listed.peek().length) refreshSoon();
}

/** Fetches the whole run of a mail; empty if the search does not find it. A run with a name can have mail anywhere. */
export async function fetchRun(member: string, name: string): Promise<string[]> {
  const askedAt = performance.now();
  const { filter: now } = route.peek();
  const asked = finished(now.q);
  const q = `${asked && `(${asked}) `}header:x-mailkeep-run="${name.replaceAll('"', " ")}"`;
  const filter = name === "" ? now : { ...now, q };
  const found: string[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const page = await listMessages(filter, offset, PAGE);
    found.push(...take(page, askedAt));
    const shown = found.filter((id) => !hidden.peek().has(id));
    const all = splitRuns(shown, runNameOf);
    const run = all.find(({ keys }) => keys.includes(member));
    const isFollowed = run?.name === "" && run !== all.findLast(({ name }) => name === "");
    if (!isFollowed && page.next_cursor !== null) continue;
    return run?.keys.filter(isId) ?? [];
  }
}

/** Stores the summaries of a page. Returns the ids except those of mail deleted in the meantime. */
function take({ messages }: MessageList, askedAt: number): string[] {
  for (const summary of messages) putMail(summary, askedAt);
  return messages.map(({ id }) => id).filter((id) => (gone.peek().get(id) ?? 0) <= askedAt);
}

/** Puts a page into the list. Other ids that contradict its order become holes, to fetch again. */
function place(list: Listed, start: number, page: readonly string[]): Listed {
  const [first, last] = [page[0], page.at(-1)];
  if (first === undefined || last === undefined) return list;
  const above = list.slice(0, start).map((id) => (id !== undefined && id > first ? id : undefined));
  const below = list.slice(start + page.length).map((id) => (id !== undefined && id < last ? id : undefined));
  return [...above, ...page, ...below];
}

/** `fresh`: the oldest first. Only the server knows which of them belong in a filtered list. */
export function insertNew(fresh: readonly string[]): void {
  const list = listed.peek();
  const isPlain = isListed.peek() && !isFiltered.peek();
  const above = isPlain ? fresh.filter((id) => id > (list[0] ?? "")) : [];
  if (above.length > 0) listed.value = [...above.toReversed(), ...list];
  const known = above.length < fresh.length && new Set(listed.peek());
  if (known && !(isPlain && fresh.every((id) => known.has(id)))) refreshSoon();
}

export function removeGone(ids: ReadonlySet<string>): void {
  const at = performance.now();
  for (const id of ids) used.ids.delete(id);
  gone.value = new Map([...gone.peek(), ...[...ids].map((id) => [id, at] as const)]);
  const list = listed.peek();
  const left = list.filter((id) => id === undefined || !ids.has(id));
  if (left.length < list.length) listed.value = left;
  // Some of the deleted mail may be in parts of the list that are not loaded.
  if (list.length - left.length < ids.size && list.includes(undefined)) refreshSoon();
}

export function clearList(): void {
  listed.value = [];
  used.ids.clear();
  void loadList();
}

/** The mail `step` rows away from `id`, or the first mail if `id` is undefined. */
export function neighbour(id: string | undefined, step: number): string | undefined {
  const list = ids.peek();
  if (id === undefined) return list.find(isId);
  const known = list.indexOf(id);
  const at = known === -1 ? list.findIndex((other) => isId(other) && other < id) : known;
  const place = at === -1 ? list.length : at;
  // If the mail has left the list, its place now holds the next one.
  const left = list[place] !== id && step > 0 ? 1 : 0;
  const found = list[Math.max(0, Math.min(list.length - 1, place + step - left))];
  return found !== undefined && isId(found) ? found : undefined;
}
