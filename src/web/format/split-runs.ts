// Mail with the same header X-Mailkeep-Run is one run. Mail without that header is one run until
// none arrives for a while. The id of a mail tells when it arrived.
import { decodeTime } from "ulid";

const PAUSE_MS = 60_000;

type Key = string | number;

export interface Run {
  readonly name: string;
  /** The ids of its mails, and places of mails that are not fetched yet. */
  readonly keys: Key[];
  /** False if mail that is not fetched yet may belong to the run. */
  isWhole: boolean;
}

/** The run with the newest mail comes first. Mails not fetched yet belong to the run above them. */
export function splitRuns(list: readonly Key[], nameOf: (id: string) => string | undefined): Run[] {
  const runs: Run[] = [];
  const growing = new Map<string, Run>();
  let last: Run | undefined;
  let hasHole = false;
  let lastUnnamed = Number.POSITIVE_INFINITY;
  for (const key of list) {
    const isHole = typeof key === "number";
    if (isHole && !hasHole) {
      hasHole = true;
      for (const run of growing.values()) run.isWhole = false;
    }
    const name = isHole ? (last?.name ?? "") : (nameOf(key) ?? "");
    if (!isHole && name === "") {
      const time = decodeTime(key);
      if (lastUnnamed - time > PAUSE_MS) growing.delete("");
      lastUnnamed = time;
    }
    last = growing.get(name) ?? { name, keys: [], isWhole: !hasHole };
    if (last.keys.push(key) === 1) runs.push(last);
    growing.set(name, last);
  }
  return runs;
}
