// Large messages on their way into the text index: found by their envelope at once, by their text as it is
// gone through, in small steps that leave room for everything else in between.
import type { AddedMessage } from "./additions.ts";
import { BodyReader, type StoredRaw } from "./body-reader.ts";
import type { Envelope } from "./long-texts.ts";
import { Pieces } from "./pieces.ts";

/** Finds the text of a message in slices, some of them empty, with a few milliseconds of work between two. */
export type SliceText = (raw: StoredRaw) => Iterator<string, void, void>;

export type LongMessage = AddedMessage & Envelope;

/** Where the text goes. */
export interface PieceIndex {
  addLong(envelope: Envelope): boolean;
  addPiece(seq: number, number: number, text: string): void;
  /** False when there is nothing to merge. */
  mergeLong(): boolean;
}

export interface LongMessagesOptions {
  readonly slice: SliceText;
  readonly index: () => PieceIndex;
  /** Whether a failure to read passes; otherwise the message is left with the text found so far. */
  readonly passes: (error: unknown) => boolean;
}

interface InWork {
  readonly message: LongMessage;
  readonly pieces: Pieces;
  number: number;
  chars: number;
  slices: Iterator<string, void, void> | null;
}

/** Messages from this size on are large. */
export const LONG_MESSAGE_BYTES = 1 << 20;
const MAX_TEXT_CHARS = 8 << 20;
/** As many may wait, and as many bytes of them in memory; nothing is committed until all are through. */
const MAX_WAITING = 16;
const MAX_HELD_BYTES = 128 << 20;
/** Each leaves copies of its text behind: a hundred would come to a gigabyte before they are collected. */
const COLLECTED_CHARS = 1 << 20;

export class LongMessages {
  readonly #options: LongMessagesOptions;
  readonly #reader = new BodyReader();
  #waiting: InWork[] = [];
  #isMerged = true;

  constructor(options: LongMessagesOptions) {
    this.#options = options;
  }

  /** All texts are through. */
  get isIdle(): boolean {
    return this.#waiting.length === 0;
  }

  /** There is something for the next step to do. */
  get hasWork(): boolean {
    return !this.isIdle || !this.#isMerged;
  }

  /** Infinite when there is none. */
  get firstSeq(): number {
    return this.#waiting[0]?.message.seq ?? Number.POSITIVE_INFINITY;
  }

  get lastSeq(): number {
    return this.#waiting.at(-1)?.message.seq ?? 0;
  }

  add(message: LongMessage): void {
    if (!this.#options.index().addLong(message)) return;
    this.#waiting.push({ message, pieces: new Pieces(), number: 0, chars: 0, slices: null });
    if (this.#waiting.length <= MAX_WAITING && this.#heldBytes() <= MAX_HELD_BYTES) return;
    while (!this.isIdle) this.step();
  }

  remove(seqs: readonly number[]): void {
    if (this.isIdle) return;
    const removed = new Set(seqs);
    this.#waiting = this.#waiting.filter(({ message }) => !removed.has(message.seq));
  }

  clear(): void {
    this.#waiting = [];
    this.#isMerged = true;
    this.close();
  }

  /** Some milliseconds of work. */
  step(): void {
    const [first] = this.#waiting;
    if (first === undefined) {
      this.#isMerged = !this.#options.index().mergeLong();
      return;
    }
    const slice = this.#nextSlice(first);
    if (slice === null) {
      this.#finish(first);
      return;
    }
    first.chars += slice.length;
    const piece = first.pieces.push(slice);
    if (piece !== null) this.#options.index().addPiece(first.message.seq, ++first.number, piece);
  }

  /** Holds no file open until the next step. */
  close(): void {
    this.#reader.close();
  }

  #nextSlice(work: InWork): string | null {
    const { slice, passes } = this.#options;
    if (work.chars >= MAX_TEXT_CHARS) return null;
    try {
      work.slices ??= slice(work.message.open(this.#reader));
      const { value, done } = work.slices.next();
      return done === true ? null : value;
    } catch (error) {
      if (passes(error)) throw error;
      return null;
    }
  }

  #finish({ message, pieces, number, chars }: InWork): void {
    const rest = pieces.finish();
    if (rest !== "") this.#options.index().addPiece(message.seq, number + 1, rest);
    this.#waiting.shift();
    this.#isMerged = false;
    if (this.isIdle) this.close();
    if (chars > COLLECTED_CHARS) Bun.gc(true);
  }

  #heldBytes(): number {
    return this.#waiting.reduce((sum, { message }) => sum + (message.isHeld ? message.size : 0), 0);
  }
}
