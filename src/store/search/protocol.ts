// What the main thread and the search worker say to each other. Both directions are ordered: a question is
// answered with everything that was told before it, but for messages that are not acknowledged yet.
import type { BodySource } from "../log/log.ts";

/** One message. */
interface IndexJob {
  readonly seq: number;
  readonly sender: string;
  readonly recipients: string;
  readonly subject: string;
  readonly source: BodySource;
}

/** All messages that lie in this part of a segment's file. */
export interface Stretch {
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

export type Addition = IndexJob | Stretch;

/** Expressions of FTS5, all of which must match. */
export type Match = readonly string[];

export type Question =
  /** A page of seqs, newest first, and the number of all that match. */
  | {
      readonly kind: "page";
      readonly match: Match;
      readonly before: number;
      readonly limit: number;
      readonly offset: number;
    }
  /** The seqs of all that match, oldest first. */
  | { readonly kind: "all"; readonly match: Match }
  /** Answered when the whole text of this message can be searched: as long as it waits, no other question does. */
  | { readonly kind: "text"; readonly seq: number }
  /** Answered when everything told before is committed. */
  | { readonly kind: "barrier" }
  | { readonly kind: "close" };

/** What a question is to know. */
export interface Known {
  /** All messages that were acknowledged are up to here, but for long ones. */
  readonly acknowledgedSeq: number;
  readonly lastSeq: number;
}

/** An index that was cleared elsewhere, holds messages after the last one, or has another salt, is not of this log. */
export interface Opening {
  readonly path: string;
  readonly clearedSeq: number;
  readonly lastSeq: number;
  /** What may still be in it and is about to be removed: it does not count as held. */
  readonly removed: readonly number[];
  /** Seeds the checksums of the log. */
  readonly salt: number;
}

export type ToWorker =
  /** With `anew` what is there is thrown away. */
  | ({ readonly kind: "open"; readonly anew: boolean } & Opening)
  /** Without bytes they come as JSON: one string crosses the threads for a third of what cloned objects cost. */
  | { readonly kind: "add"; readonly additions: readonly Addition[] | string }
  /** Some messages that came in last: how long would these take? They are also added, in their turn. */
  | { readonly kind: "sample"; readonly additions: readonly Addition[] }
  | { readonly kind: "remove"; readonly seqs: readonly number[] }
  | { readonly kind: "clear"; readonly clearedSeq: number }
  /** After `full`, and now and then as long as the index is in memory: there may be room now. */
  | { readonly kind: "resume" }
  | ({ readonly kind: "ask"; readonly number: number; readonly question: Question } & Known);

export interface Answer {
  readonly seqs: Float64Array;
  readonly total: number;
}

/** What the worker did in one turn. */
export interface IndexedTurn {
  /** Of messages, but for long ones. */
  readonly bytes: number;
  /** How long it worked. */
  readonly ms: number;
  /** What of that went into merging what had gathered before: it comes with any mail now and then. */
  readonly mergingMs: number;
}

export type FromWorker =
  /** What the file already holds: so many messages, up to this seq, but for the unfinished ones. */
  | {
      readonly kind: "opened";
      readonly indexedSeq: number;
      readonly unfinished: readonly number[];
      readonly held: number;
      readonly why: string | null;
    }
  /** The disk has no room for the index: batches and questions are passed over until it has resumed. */
  | { readonly kind: "full" }
  /**
   * What came after this message is to be handed over again, and the unfinished ones; as long as there is no room,
   * it is kept in memory.
   */
  | {
      readonly kind: "resumed";
      readonly indexedSeq: number;
      readonly unfinished: readonly number[];
      readonly inMemory: boolean;
    }
  | ({ readonly kind: "indexed" } & IndexedTurn)
  | { readonly kind: "sampled"; readonly msPerByte: number }
  /** A batch is done, but for long messages; room for the next one. */
  | { readonly kind: "added" }
  /** The text of this message was too much: only its beginning can be searched. */
  | { readonly kind: "cut"; readonly seq: number; readonly chars: number }
  /** These removals are safe in the file. */
  | { readonly kind: "removed"; readonly seqs: readonly number[] }
  /** Null when the question was passed over: it is to be asked again. */
  | { readonly kind: "answer"; readonly number: number; readonly answer: Answer | null }
  | { readonly kind: "failed"; readonly code: string; readonly message: string };
