// Mail that came together is a run; a pause in the arrivals begins the next. An id tells when its mail arrived.
import { decodeTime } from "ulid";

const PAUSE_MS = 60_000;

/** Rows that are not fetched yet count to the run above them. */
export function splitRuns(list: readonly (string | undefined)[]): (string | undefined)[][] {
  const runs: (string | undefined)[][] = [];
  let last = Number.POSITIVE_INFINITY;
  for (const id of list) {
    const time = id === undefined ? last : decodeTime(id);
    const current = runs.at(-1);
    if (current && last - time <= PAUSE_MS) current.push(id);
    else runs.push([id]);
    last = time;
  }
  return runs;
}
