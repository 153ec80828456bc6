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
  longSegments(): number;
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
  /** Its own, once it is begun: what it has read must outlast the steps of another. */
  reader: BodyReader | null;
  number: number;
  chars: number;
  slices: Iterator<string, void, void> | null;
}

/** Messages from this size on are large. */
export const LONG_MESSAGE_BYTES = 1 << 18;
/** The smallest overtakes the others; one step out of so many goes to the oldest: nobody is overtaken for ever. */
const STEPS_PER_OLDEST = 4;
const MAX_TEXT_CHARS = 8 << 20;
/** As many may wait, as places in the log or with bytes they share with it; for the next there must be room first. */
const MAX_WAITING = 1000;
/** Each piece may leave a segment in the index, of which there may be 2000: some are merged all along. */
const MAX_UNMERGED_PIECES = 1000;
const PIECES_PER_MERGE = 8;
/** Texts leave copies behind: a hundred would come to a gigabyte before they are collected. */
const COLLECTED_CHARS = 4 << 20;
/** Where there is always something to do, not before there are so many: it takes some milliseconds. */
const MAX_UNCOLLECTED_CHARS = 16 << 20;

export class LongMessages {
  readonly #options: LongMessagesOptions;
  #waiting: InWork[] = [];
  #steps = 0;
  /** Pieces that may not be merged yet. */
  #unmergedPieces = 0;
  #piecesSinceMerge = 0;
  #uncollectedChars = 0;

  constructor(options: LongMessagesOptions) {
    this.#options = options;
  }

  /** All texts are through. */
  get isIdle(): boolean {
    return this.#waiting.length === 0;
  }

  /** There is something for the next step to do. */
  get hasWork(): boolean {
    return !this.isIdle || this.#unmergedPieces > 0 || this.#uncollectedChars > COLLECTED_CHARS;
  }

  /** Of those whose text is not through, oldest first. */
  get seqs(): number[] {
    return this.#waiting.map(({ message }) => message.seq);
  }

  add(message: LongMessage): void {
    if (!this.#options.index().addLong(message)) return;
    this.#unmergedPieces++;
    this.#waiting.push({ message, pieces: new Pieces(), reader: null, number: 0, chars: 0, slices: null });
    while (this.#waiting.length > MAX_WAITING) this.step();
  }

  remove(seqs: readonly number[]): void {
    if (this.isIdle) return;
    const removed = new Set(seqs);
    for (const work of this.#waiting) if (removed.has(work.message.seq)) work.reader?.close();
    this.#waiting = this.#waiting.filter(({ message }) => !removed.has(message.seq));
  }

  clear(): void {
    for (const { reader } of this.#waiting) reader?.close();
    this.#waiting = [];
    this.#unmergedPieces = 0;
    this.#uncollectedChars = 0;
  }

  /** Some milliseconds of work. */
  step(): void {
    const [oldest] = this.#waiting;
    if (this.#uncollectedChars > MAX_UNCOLLECTED_CHARS) this.#collect();
    else if (oldest !== undefined && !this.#mustMerge()) this.#goOn(this.#next(oldest));
    else if (this.#unmergedPieces > 0) this.#merge();
    else this.#collect();
  }

  #mustMerge(): boolean {
    if (this.#unmergedPieces >= MAX_UNMERGED_PIECES)
      this.#unmergedPieces = this.#options.index().longSegments();
    return this.#piecesSinceMerge >= PIECES_PER_MERGE || this.#unmergedPieces >= MAX_UNMERGED_PIECES;
  }

  #next(oldest: InWork): InWork {
    if (this.#steps++ % STEPS_PER_OLDEST === 0) return oldest;
    return this.#waiting.reduce((least, work) => (work.message.size < least.message.size ? work : least));
  }

  #goOn(work: InWork): void {
    const piece = work.pieces.take();
    if (piece !== null) {
      this.#addPiece(work, piece);
      return;
    }
    const slice = this.#nextSlice(work);
    if (slice === null) {
      this.#finish(work);
      return;
    }
    work.chars += slice.length;
    this.#uncollectedChars += slice.length;
    work.pieces.push(slice);
  }

  #addPiece(work: InWork, text: string): void {
    this.#options.index().addPiece(work.message.seq, ++work.number, text);
    this.#unmergedPieces++;
    this.#piecesSinceMerge++;
  }

  #merge(): void {
    this.#piecesSinceMerge = 0;
    if (!this.#options.index().mergeLong()) this.#unmergedPieces = 0;
  }

  #collect(): void {
    this.#uncollectedChars = 0;
    Bun.gc(true);
  }

  #nextSlice(work: InWork): string | null {
    const { slice, passes } = this.#options;
    if (work.chars >= MAX_TEXT_CHARS) return null;
    try {
      work.reader ??= new BodyReader();
      work.slices ??= slice(work.message.open(work.reader));
      const { value, done } = work.slices.next();
      return done === true ? null : value;
    } catch (error) {
      if (passes(error)) throw error;
      return null;
    }
  }

  #finish(work: InWork): void {
    const rest = work.pieces.finish();
    if (rest !== "") this.#addPiece(work, rest);
    work.reader?.close();
    this.#waiting.splice(this.#waiting.indexOf(work), 1);
    // What is deleted meanwhile is given back only when nothing here refers to it any more.
    if (work.message.isHeld) this.#uncollectedChars += work.message.size;
  }
}
