// Records that are in the log a second time (a file that was copied, a part that was appended again) leave it
// before it is written on: once the first copy is deleted and compacted away, the second would pass for a mail.
import { renameSync, rmSync, writeFileSync } from "node:fs";
import type { Logger } from "../../lib/logger.ts";
import { type DataDir, damagedName, FILE_MODE, moveAside, setAside } from "./data-dir.ts";
import { syncFolder } from "./disk.ts";
import type { Damage } from "./replay.ts";
import { loadSegment, PROLOGUE_BYTES, readSegment, type Segment, segmentPath } from "./segment.ts";

export interface RepeatsOptions {
  readonly dir: DataDir;
  readonly salt: number;
  readonly logger: Logger;
}

export const isRepeated = ({ kind }: Damage): boolean => kind === "repeated";

/** True when files have changed: what is known of them is void. Where that is not possible, all stays as it is. */
export function setRepeatedAside(damages: readonly Damage[], options: RepeatsOptions): boolean {
  const { dir, logger } = options;
  const repeated = Map.groupBy(damages.filter(isRepeated), ({ segment }) => segment);
  let isChanged = false;
  try {
    for (const [segment, stretches] of repeated) {
      takeOut(segment, stretches, options);
      isChanged = true;
    }
    if (isChanged) syncFolder(dir.log);
  } catch (error) {
    logger.warn("log_records_repeated", { reason: String(error) });
  }
  return isChanged;
}

function takeOut(
  segment: Segment,
  stretches: readonly Damage[],
  { dir, salt, logger }: RepeatsOptions,
): void {
  const { number, generation } = segment;
  const path = segmentPath(dir.log, segment);
  const rest = without(stretches, loadSegment(dir.log, segment));
  if (holdsNothing(rest, salt)) {
    logger.warn("log_records_repeated", { segment: number, bytes: segment.size, copy: moveAside(dir, path) });
    return;
  }
  for (const { at, bytes } of stretches) {
    const copy = setAside(dir, damagedName(number, generation, at), bytes);
    logger.warn("log_records_repeated", { segment: number, at, bytes: bytes.length, copy });
  }
  const next = segmentPath(dir.log, { number, generation: generation + 1 });
  writeFileSync(`${next}.new`, rest, { mode: FILE_MODE, flush: true });
  renameSync(`${next}.new`, next);
  rmSync(path);
}

function without(stretches: readonly Damage[], bytes: Buffer): Buffer {
  let from = 0;
  const kept = stretches.map(({ at, end }) => {
    const before = bytes.subarray(from, at);
    from = end;
    return before;
  });
  return Buffer.concat([...kept, bytes.subarray(from)]);
}

const holdsNothing = (bytes: Buffer, salt: number): boolean =>
  readSegment(bytes, PROLOGUE_BYTES, salt).every(({ kind }) => kind === "damaged");
