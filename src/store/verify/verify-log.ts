// What the log itself holds that is not sound; a part of `mailkeep verify`. Changes nothing.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type DataDir, damagedName } from "../log/data-dir.ts";
import type { LogPosition } from "../log/log.ts";
import type { Damage } from "../log/replay.ts";
import type { Segment } from "../log/segment.ts";
import type { Findings, StoreProblem } from "./problem.ts";

/** The log as the checks read it. */
export interface CheckedLog {
  readonly dir: DataDir;
  readonly salt: number;
  readonly segments: readonly Segment[];
}

/** `indexed` is how far the index has followed the log; null where there is no index to ask. */
export function reportDamages(
  damages: readonly Damage[],
  indexed: LogPosition | null,
  { dir, segments }: CheckedLog,
  { problems, notes }: Findings,
): void {
  for (const damage of damages) {
    const copy = copyOf(damage, dir);
    if (indexed !== null && isUnfinished(damage, segments, indexed)) notes.push(unfinishedNote(damage));
    else if (copy !== null) notes.push(setAsideNote(damage, copy));
    else problems.push(damageProblem(damage));
  }
}

const placeOf = ({ segment, at, end }: Damage): string => `segment ${segment.number}, bytes ${at} to ${end}`;

/** What a kill leaves of a write that nobody was told of: nothing is acknowledged before it is in the index. */
function isUnfinished(
  { segment, at, tail }: Damage,
  segments: readonly Segment[],
  index: LogPosition,
): boolean {
  if (!tail || segment !== segments.at(-1)) return false;
  return index.segment < segment.number || (index.segment === segment.number && index.at <= at);
}

const unfinishedNote = (damage: Damage): string =>
  `${placeOf(damage)}: an unfinished write, of which nothing was acknowledged; the next start drops it`;

/** Where a start that has reported it keeps it; null for what none has seen. */
function copyOf({ kind, segment, at, bytes }: Damage, dir: DataDir): string | null {
  if (kind === "repeated") return null;
  const path = join(dir.damaged, damagedName(segment.number, segment.generation, at));
  try {
    return readFileSync(path).equals(bytes) ? path : null;
  } catch {
    return null;
  }
}

const SET_ASIDE = "the next start sets it aside, and what it held is left only in a backup, if there is one";

const setAsideNote = (damage: Damage, copy: string): string =>
  `${placeOf(damage)}: was damaged and is set aside in ${copy}; what it held is left only in a backup, if there is one`;

function damageProblem(damage: Damage): StoreProblem {
  const { kind, tail } = damage;
  const where = placeOf(damage);
  if (kind === "repeated") {
    const harm = "they do no harm, the next start sets them aside";
    return { kind: "repeated_record", message: `${where}: records that are in the log before; ${harm}` };
  }
  return tail
    ? { kind: "torn_tail", message: `${where}: cut short, nothing sound follows; ${SET_ASIDE}` }
    : { kind: "damaged_record", message: `${where}: a record does not match its checksum; ${SET_ASIDE}` };
}
