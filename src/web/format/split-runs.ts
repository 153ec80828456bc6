// All mail with the same header X-Mailkeep-Run is one run. Mail without that header is one run as
// long as it keeps arriving: a pause begins the next run. The id of a mail tells when it arrived.
import { decodeTime } from "ulid";

const PAUSE_MS = 60_000;

export interface Run {
  readonly name: string;
  readonly places: number[];
  /** False if mail that is not fetched yet may belong to the run. */
  isWhole: boolean;
}

/** The run with the newest mail comes first. Rows not fetched yet belong to the run above them. */
export function splitRuns(
  list: readonly (string | undefined)[],
  nameOf: (id: string) => string | undefined,
): Run[] {
  const runs: Run[] = [];
  const growing = new Map<string, Run>();
  let last: Run | undefined;
  let hasHole = false;
  let lastUnnamed = Number.POSITIVE_INFINITY;
  for (const [place, id] of list.entries()) {
    if (id === undefined && !hasHole) {
      hasHole = true;
      for (const run of growing.values()) run.isWhole = false;
    }
    const name = id === undefined ? (last?.name ?? "") : (nameOf(id) ?? "");
    if (id !== undefined && name === "") {
      const time = decodeTime(id);
      if (lastUnnamed - time > PAUSE_MS) growing.delete("");
      lastUnnamed = time;
    }
    last = growing.get(name) ?? { name, places: [], isWhole: !hasHole };
    if (last.places.push(place) === 1) runs.push(last);
    growing.set(name, last);
  }
  return runs;
}
