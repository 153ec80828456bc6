// Whether segments follow one another as they were written. Names may have been exchanged, by a restore gone wrong: what
// then comes after newer mail must not be taken for a second copy, for it is nowhere else.
import { basename } from "node:path";
import { StoreError } from "../store.ts";
import type { DataDir } from "./data-dir.ts";
import { type ChangePayload, type HeadPayload, metaIn, readJson } from "./record.ts";
import { listed, loadSegment, readHead, readSegment, type Segment, segmentPath } from "./segment.ts";

export interface OrderOptions {
  readonly dir: DataDir;
  readonly salt: number;
}

/** What was seen of a log, up to some place. */
interface Seen {
  /** Ids by seq. */
  readonly messages: Map<number, string>;
  readonly changes: Set<number>;
  lastSeq: number;
  lastId: string;
  lastChange: number;
  clearedSeq: number;
}

/** Throws when the heads say that files are not in order, and these are not copies of others. */
export function assertInOrder(segments: readonly Segment[], options: OrderOptions): void {
  let [lastSeq, lastChange, isInOrder] = [0, 0, true];
  for (const segment of segments) {
    const head = readHead(options.dir.log, segment, options.salt);
    if (head === null) continue;
    const { last_seq, last_change = lastChange } = head;
    isInOrder &&= last_seq >= lastSeq && last_change >= lastChange;
    [lastSeq, lastChange] = [last_seq, last_change];
  }
  if (!isInOrder) assertOnlyCopies(segments, options);
}

/** Throws when the log holds something behind what is newer that is not there before as well. Reads all of it. */
export function assertOnlyCopies(segments: readonly Segment[], options: OrderOptions): void {
  const seen: Seen = {
    messages: new Map(),
    changes: new Set(),
    lastSeq: 0,
    lastId: "",
    lastChange: 0,
    clearedSeq: 0,
  };
  for (const segment of segments)
    if (holdsMisplaced(segment, seen, options)) throw outOfOrder(segment, segments, options);
}

/**
 * Changes are judged only where there are no messages to tell a copy by: a compaction puts those of its messages into
 * their records.
 */
function holdsMisplaced(segment: Segment, seen: Seen, { dir, salt }: OrderOptions): boolean {
  let [messages, misplacedMessages, misplacedChanges] = [0, 0, 0];
  for (const entry of readSegment(loadSegment(dir.log, segment), 0, salt)) {
    if (entry.kind === "damaged") continue;
    const meta = metaIn(entry.type, entry.payload);
    if (meta !== null) {
      messages++;
      if (!seeMessage(seen, meta)) misplacedMessages++;
    }
    if (entry.type === "head") seeHead(seen, readJson(entry.payload));
    if (entry.type === "change" && !seeChange(seen, readJson(entry.payload))) misplacedChanges++;
  }
  return misplacedMessages > 0 || (messages === 0 && misplacedChanges > 0);
}

function seeHead(seen: Seen, { last_seq, last_id, last_change = 0, cleared_seq }: HeadPayload): void {
  seen.lastSeq = Math.max(seen.lastSeq, last_seq);
  if (last_id > seen.lastId) seen.lastId = last_id;
  seen.lastChange = Math.max(seen.lastChange, last_change);
  seen.clearedSeq = Math.max(seen.clearedSeq, cleared_seq);
}

/** False when it comes too late, and for the first time. */
function seeMessage(seen: Seen, { seq, id }: { seq: number; id: string }): boolean {
  if (seq <= seen.lastSeq || id <= seen.lastId)
    return seen.messages.get(seq) === id || seq <= seen.clearedSeq;
  seen.messages.set(seq, id);
  [seen.lastSeq, seen.lastId] = [seq, id];
  return true;
}

function seeChange(seen: Seen, { number }: ChangePayload): boolean {
  if (number === undefined) return true;
  if (number <= seen.lastChange) return seen.changes.has(number);
  seen.changes.add(number);
  seen.lastChange = number;
  return true;
}

function outOfOrder(misplaced: Segment, segments: readonly Segment[], options: OrderOptions): StoreError {
  const path = segmentPath(options.dir.log, misplaced);
  const exchanged = outOfPlace(segments, options);
  const advice =
    exchanged.length > 1
      ? `give the files that are out of place names in the order of their mail (${listed(exchanged)})`
      : "move it to the log folder of an empty data folder, where its mail can be read";
  return new StoreError(
    "data_dir_unusable",
    `${path} is older than what comes before it in the log, and what it holds is nowhere else, as after an exchange of names; no file of the log was changed. Please ${advice}, and start again`,
  );
}

/** Names of the files whose place is another's, in the order in which they belong there. */
function outOfPlace(segments: readonly Segment[], { dir, salt }: OrderOptions): string[] {
  return segments
    .map((segment) => ({ segment, head: readHead(dir.log, segment, salt) }))
    .sort((a, b) => compare(a.head, b.head))
    .filter(({ segment }, place) => segment !== segments[place])
    .map(({ segment }) => basename(segmentPath(dir.log, segment)));
}

const compare = (a: HeadPayload | null, b: HeadPayload | null): number =>
  (a?.last_seq ?? 0) - (b?.last_seq ?? 0) || (a?.last_change ?? 0) - (b?.last_change ?? 0);
