// Which segments are worth rewriting. All dead bytes count together: leftovers, each too small to be worth it,
// would otherwise stay for ever, in bytes and in files.

export interface SegmentUse {
  readonly number: number;
  /** Bytes of the file. */
  readonly size: number;
  readonly dead: number;
  /** Still written to. */
  readonly isActive: boolean;
  /** Not to be merged with others. */
  readonly staysAlone: boolean;
}

export interface CompactionLimits {
  /** Dead bytes in segments that are mostly dead, all together, below which these are left alone. */
  readonly minDeadBytes: number;
  /** Bytes of segments that are merged into one. */
  readonly maxMergedBytes: number;
}

/** Next to nothing is left of a segment with this share of dead bytes. */
const SPENT = 0.9;
/** About what a segment begins with. */
const START_BYTES = 200;
/** Fewer neighbours are not merged, nor one large with some small: it would be rewritten again and again. */
const MIN_MERGED = 4;
const LARGEST_SHARE = 0.5;

/** One segment, or neighbours to be made into one; `segments` are all, in order. Empty when nothing is worth it. */
export function chooseSegments(
  segments: readonly SegmentUse[],
  { minDeadBytes, maxMergedBytes }: CompactionLimits,
): readonly SegmentUse[] {
  const sealed = segments.filter(({ isActive }) => !isActive);
  const spent = sealed.find(({ size, dead }) => dead > 0 && dead >= (size - START_BYTES) * SPENT);
  if (spent !== undefined) return [spent];
  const mostlyDead = segments.filter(({ size, dead }) => dead * 2 > size).sort((a, b) => b.dead - a.dead);
  const dead = mostlyDead.reduce((sum, segment) => sum + segment.dead, 0);
  if (dead >= minDeadBytes) return mostlyDead.slice(0, 1);
  return firstRun(sealed, maxMergedBytes);
}

function firstRun(segments: readonly SegmentUse[], maxBytes: number): readonly SegmentUse[] {
  for (let start = 0; start + MIN_MERGED <= segments.length; start++) {
    let [bytes, largest, end] = [0, 0, start];
    for (const [index, { size, dead, staysAlone }] of segments.slice(start).entries()) {
      const live = Math.max(0, size - dead);
      bytes += live;
      largest = Math.max(largest, live);
      if (staysAlone || bytes > maxBytes) break;
      if (largest <= bytes * LARGEST_SHARE) end = start + index + 1;
    }
    if (end - start >= MIN_MERGED) return segments.slice(start, end);
  }
  return [];
}
