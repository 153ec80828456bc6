// Messages that are too large to be gone through at once on their way into the text index: in small steps that leave
// room for everything else in between.
import { MAX_SEARCHED_CHARS } from "../../lib/searched-text.ts";
import type { AddedMessage } from "./additions.ts";
import { BodyReader, type StoredRaw } from "./body-reader.ts";
import type { Envelope } from "./long-texts.ts";
import { Pieces } from "./pieces.ts";

/** Finds the text of a message in slices, some of them empty, with a few milliseconds of work between two. */
export type SliceText = (raw: StoredRaw) => Iterator<string, void, void>;

export type LongMessage = AddedMessage & Envelope;

/** Where the text goes: most in one row, a long one in pieces. */
export interface PieceIndex {
  expect(seq: number): void;
  add(text: Envelope & { readonly body: string }): void;
  addLong(envelope: Envelope): void;
  addPiece(seq: number, number: number, text: string): void;
  finishLong(seq: number): void;
  /** False when there is nothing to merge. */
  mergeLong(): boolean;
  longSegments(): number;
}

export interface LongMessagesOptions {
  readonly slice: SliceText;
  readonly index: () => PieceIndex;
  /** Whether a failure to read passes; otherwise the message is left with the text found so far. */
  readonly passes: (error: unknown) => boolean;
  /** The text was too much; so many characters were searched for words. */
  readonly cut: (seq: number, chars: number) => void;
  readonly now: () => number;
}

interface InWork {
  readonly message: LongMessage;
  readonly pieces: Pieces;
  /** Its own, once it is begun: what it has read must outlast the steps of another. */
  reader: BodyReader | null;
  /** Of the last piece. */
  number: number;
  chars: number;
  /** Milliseconds of work. */
  spent: number;
  slices: Iterator<string, void, void> | null;
}

/** Larger ones are gone through in steps. Whatever is in it, one of this size takes some milliseconds. */
const LONG_MESSAGE_BYTES = 1 << 14;
export const isLong = ({ size }: { readonly size: number }): boolean => size > LONG_MESSAGE_BYTES;

/** The smallest overtakes the others; one step out of so many goes to the oldest: nobody is overtaken for ever. */
const STEPS_PER_OLDEST = 4;
/** What is beyond this cannot be searched either. */
const MAX_TEXT_MS = 10_000;
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
    if (this.#waiting.some((work) => work.message.seq === message.seq)) return;
    this.#options.index().expect(message.seq);
    const begun = { pieces: new Pieces(), reader: null, number: 0, chars: 0, spent: 0, slices: null };
    this.#waiting.push({ message, ...begun });
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
    this.#piecesSinceMerge = 0;
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
    const begun = this.#options.now();
    const piece = work.pieces.take();
    if (piece === null) this.#readOn(work);
    else this.#addPiece(work, piece);
    work.spent += this.#options.now() - begun;
  }

  #readOn(work: InWork): void {
    const slice = this.#isTooMuch(work) ? null : this.#nextSlice(work);
    if (slice === null) {
      this.#finish(work);
      return;
    }
    work.chars += slice.length;
    this.#uncollectedChars += slice.length;
    work.pieces.push(slice);
  }

  #isTooMuch({ message, chars, spent }: InWork): boolean {
    if (chars < MAX_SEARCHED_CHARS && spent < MAX_TEXT_MS) return false;
    this.#options.cut(message.seq, chars);
    return true;
  }

  #addPiece(work: InWork, text: string): void {
    const index = this.#options.index();
    if (work.number === 0) {
      index.addLong(work.message);
      this.#unmergedPieces++;
    }
    index.addPiece(work.message.seq, ++work.number, text);
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
    const { message, pieces, reader } = work;
    const rest = pieces.finish();
    if (work.number === 0) this.#options.index().add({ ...message, body: rest });
    else {
      if (rest !== "") this.#addPiece(work, rest);
      this.#options.index().finishLong(message.seq);
    }
    reader?.close();
    this.#waiting.splice(this.#waiting.indexOf(work), 1);
    // What is deleted meanwhile is given back only when nothing here refers to it any more.
    if (message.isHeld) this.#uncollectedChars += message.size;
  }
}
