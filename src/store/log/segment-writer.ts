// What a compaction keeps of one segment or of neighbours: live messages with their flags, large ones that may come
// back with their file and what was changed in them, removals whose message still lies in an older segment, and of the
// changes to messages in older segments what they come to.
import type { MessageChange } from "../../model/index.ts";
import type { MessageRow } from "../rows/row.ts";
import type { Rows } from "../rows/rows.ts";
import type { Place } from "./log.ts";
import {
  type ChangePayload,
  type DeletePayload,
  type HeadPayload,
  type LargeMeta,
  readJson,
  readMessage,
} from "./record.ts";
import { RecordBuffer } from "./record-buffer.ts";
import { prologue, type Segment, type SoundRecord } from "./segment.ts";

export interface SegmentWriterOptions {
  /** In order; the first gives its number and its head. */
  readonly segments: readonly Segment[];
  readonly rows: Rows;
  readonly salt: number;
  /** A record is lost: the rows know more than the log. */
  readonly isMending: boolean;
  /** Whether a message may still lie in a segment before these. */
  readonly liesInOlder: (seq: number) => boolean;
}

type AddRecord = (entry: SoundRecord, record: Buffer, source: number) => void;

export class SegmentWriter {
  readonly records: RecordBuffer;
  readonly places = new Map<number, Place>();
  readonly #options: SegmentWriterOptions;
  readonly #number: number;
  readonly #sources: ReadonlySet<number>;
  /** By message. */
  readonly #changes = new Map<number, MessageChange>();
  /** Large messages that were taken out for want of their file, and those of them that lie here. */
  readonly #lost: ReadonlySet<string>;
  readonly #lostSeqs = new Set<number>();
  #lastChange: number | undefined;
  #hasHead = false;
  #kept = 0;

  constructor(options: SegmentWriterOptions) {
    this.#options = options;
    this.#number = options.segments[0]?.number ?? 0;
    this.#sources = new Set(options.segments.map(({ number }) => number));
    this.#lost = new Set(options.rows.lostBodies());
    this.records = new RecordBuffer(options.salt);
    this.records.addRecord(prologue(options.salt));
  }

  /** There is nothing but the head. */
  get isEmpty(): boolean {
    return this.#kept === 0;
  }

  /** `source` is the number of the segment that holds the record. */
  add(entry: SoundRecord, record: Buffer, source: number): void {
    this.#add[entry.type](entry, record, source);
  }

  finish(): void {
    const seqsOf = Map.groupBy(this.#changes, ([, change]) => JSON.stringify(change));
    for (const [change, changed] of seqsOf) {
      this.#kept++;
      this.records.addJson("change", {
        ...(this.#lastChange === undefined ? {} : { number: this.#lastChange }),
        seqs: changed.map(([seq]) => seq),
        change: JSON.parse(change),
      } satisfies ChangePayload);
    }
  }

  readonly #add: Record<SoundRecord["type"], AddRecord> = {
    head: ({ payload }) => {
      if (this.#hasHead) return;
      this.#hasHead = true;
      const head = readJson<HeadPayload>(payload);
      const { segments } = this.#options;
      const merged_to = segments.at(-1)?.number ?? 0;
      this.records.addJson("head", segments.length > 1 ? { ...head, merged_to } : head);
    },
    message: (entry, record, source) => this.#addMessage(entry, record, source),
    large: ({ payload, at }, record, source) => {
      const meta = readJson<LargeMeta>(payload);
      if (this.#lost.has(meta.id)) {
        this.#keepLost(meta.seq, record);
        return;
      }
      const row = this.#alive(meta.seq, at, source);
      if (row === null) return;
      this.#place(meta.seq, 0);
      this.records.addJson("large", { ...meta, state: stateOf(row) } satisfies LargeMeta);
    },
    change: ({ payload }) => {
      const { number, seqs, change } = readJson<ChangePayload>(payload);
      if (number !== undefined) this.#lastChange = number;
      for (const seq of seqs) {
        const { rows, isMending } = this.#options;
        const segment = rows.recordOf(seq)?.segment;
        if (segment === undefined ? !this.#mayComeBack(seq) : this.#sources.has(segment)) continue;
        const row = isMending ? rows.bySeq(seq) : null;
        const made = row === null ? change : nowIn(stateOf(row), change);
        this.#changes.set(seq, { ...this.#changes.get(seq), ...made });
      }
    },
    delete: ({ payload }) => {
      const deleted = readJson<DeletePayload>(payload);
      const seqs = deleted.seqs.filter((seq) => this.#lostSeqs.has(seq) || this.#options.liesInOlder(seq));
      if (seqs.length === 0) return;
      this.#kept++;
      this.records.addJson("delete", { ...deleted, seqs } satisfies DeletePayload);
    },
  };

  /** Without it the message could not come back with its file. */
  #keepLost(seq: number, record: Buffer): void {
    this.#kept++;
    this.#lostSeqs.add(seq);
    this.records.addRecord(record);
  }

  /** Which of the older messages are lost ones is not known here: what was changed in them is rather kept. */
  #mayComeBack(seq: number): boolean {
    return this.#lostSeqs.has(seq) || (this.#lost.size > 0 && this.#options.liesInOlder(seq));
  }

  #addMessage({ payload, at }: SoundRecord, record: Buffer, source: number): void {
    const { meta, raw, rawAt } = readMessage(payload);
    const row = this.#alive(meta.seq, at, source);
    if (row === null) return;
    this.#place(meta.seq, rawAt);
    if (meta.state === undefined && isUntouched(row)) {
      this.records.addRecord(record);
      return;
    }
    const start = this.records.length;
    const body_at = this.records.addMessage(
      JSON.stringify({ ...meta, state: stateOf(row) }),
      [raw],
      raw.length,
    );
    this.places.set(meta.seq, { segment: this.#number, at: start, body_at });
  }

  #alive(seq: number, at: number, source: number): MessageRow | null {
    const row = this.#options.rows.bySeq(seq);
    return row !== null && row.segment === source && row.at === at ? row : null;
  }

  #place(seq: number, body_at: number): void {
    this.#kept++;
    this.places.set(seq, { segment: this.#number, at: this.records.length, body_at });
  }
}

const isUntouched = (row: MessageRow): boolean =>
  row.is_read === 0 && row.is_starred === 0 && row.tags === null;

/** What was changed, as it is now: the change behind it may be the one that was lost. */
const nowIn = (state: Required<MessageChange>, change: MessageChange): MessageChange => ({
  ...(change.is_read === undefined ? {} : { is_read: state.is_read }),
  ...(change.is_starred === undefined ? {} : { is_starred: state.is_starred }),
  ...(change.tags === undefined ? {} : { tags: state.tags }),
});

const stateOf = (row: MessageRow): Required<MessageChange> => ({
  is_read: row.is_read === 1,
  is_starred: row.is_starred === 1,
  tags: row.tags === null ? [] : JSON.parse(row.tags),
});
