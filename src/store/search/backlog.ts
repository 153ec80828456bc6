// New messages that the search worker has not been told of. Neighbours in the log wait as one stretch of it:
// a thousand small mails are two numbers here, and one read for the worker.
import type { Bodies } from "../log/log.ts";
import type { MessageRow } from "../rows/row.ts";
import { isLong } from "./long-messages.ts";
import type { Addition } from "./protocol.ts";

/** The worker reads a stretch in one piece. */
const MAX_STRETCH_BYTES = 1 << 20;

interface OpenStretch {
  readonly path: string;
  readonly from: number;
  to: number;
  readonly segment: number;
}

export class Backlog {
  readonly #bodies: Bodies;
  #additions: Addition[] = [];
  /** The last addition, as long as it may grow. */
  #stretch: OpenStretch | null = null;
  #bytes = 0;
  #firstSeq = Number.POSITIVE_INFINITY;
  #lastSeq = 0;

  constructor(bodies: Bodies) {
    this.#bodies = bodies;
  }

  /** Bytes of mail that wait, but for long ones. */
  get bytes(): number {
    return this.#bytes;
  }

  /** How many additions there are. */
  get length(): number {
    return this.#additions.length;
  }

  /** The seq of the first message that waits; infinite when none does. */
  get firstSeq(): number {
    return this.#firstSeq;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  add(row: MessageRow): void {
    if (!isLong(row)) this.#bytes += row.size;
    this.#lastSeq = row.seq;
    if (this.#firstSeq > row.seq) this.#firstSeq = row.seq;
    if (this.#stretch === null || !grows(this.#stretch, row)) this.#begin(row);
    else this.#stretch.to = endOf(row);
  }

  /** All that waits. */
  take(): Addition[] {
    const taken = this.#additions;
    this.clear();
    return taken;
  }

  clear(): void {
    this.#additions = [];
    this.#stretch = null;
    this.#bytes = 0;
    this.#firstSeq = Number.POSITIVE_INFINITY;
  }

  #begin(row: MessageRow): void {
    const job = jobOf(row, this.#bodies);
    const isRecord = "path" in job.source && isSmallRecord(row);
    this.#stretch = isRecord
      ? { path: job.source.path, from: row.at, to: endOf(row), segment: row.segment }
      : null;
    this.#additions.push(this.#stretch ?? job);
  }
}

const endOf = ({ at, body_at, size }: MessageRow): number => at + body_at + size;

/** What is not in the segment, or is too large to be indexed in one go, is an addition of its own. */
const isSmallRecord = (row: MessageRow): boolean => row.body_at > 0 && !isLong(row);

const grows = ({ segment, from, to }: OpenStretch, row: MessageRow): boolean =>
  row.segment === segment && isSmallRecord(row) && row.at >= to && endOf(row) - from <= MAX_STRETCH_BYTES;

/** Where the body is already gone, a removal or a clear follows; the envelope will do until then. */
export function jobOf(row: MessageRow, bodies: Bodies): Exclude<Addition, { from: number }> {
  const { seq, sender, recipients, subject } = row;
  try {
    return { seq, sender, recipients, subject, source: bodies.source(row) };
  } catch {
    return { seq, sender, recipients, subject, source: { bytes: new Uint8Array() } };
  }
}
