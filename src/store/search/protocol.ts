// Messages between the main thread and the search worker. Jobs are done in the order in which they are sent, and a
// question is one more job: when it is answered, everything sent before it is indexed.
import type { MessageRecord } from "../log/log.ts";

/** Only the beginning of a longer mail is searched. */
export const MAX_SEARCHED_BYTES = 16 << 20;

export type IndexedMail = Pick<MessageRecord, "seq" | "inbox" | "subject" | "sender" | "recipients">;

/** A mail of an `add` job. Its raw bytes are in the job's bytes, or in a file. */
export interface AddedMail extends IndexedMail {
  readonly at: number;
  readonly size: number;
  readonly path: string | null;
}

export type Question =
  | {
      readonly kind: "page";
      readonly match: string;
      readonly before: number;
      readonly limit: number;
      readonly offset: number;
    }
  | { readonly kind: "all"; readonly match: string }
  | { readonly kind: "barrier" };

export interface AddJob {
  readonly kind: "add";
  /** JSON, because sending one string takes a third of the time of cloned objects. */
  readonly mails: string;
  readonly bytes: ArrayBuffer;
  /** The number of mails in the job, and how many bytes of the buffer `bytes` are filled. */
  readonly size: { readonly mails: number; readonly bytes: number };
  readonly applied: number;
}

export type Job =
  | { readonly kind: "open"; readonly path: string; readonly salt: number }
  | AddJob
  | { readonly kind: "remove"; readonly seqs: readonly number[]; readonly applied: number }
  | { readonly kind: "clear"; readonly applied: number }
  | { readonly kind: "ask"; readonly question: Question }
  | { readonly kind: "close" };

export interface Answer {
  readonly seqs: Float64Array;
  readonly total: number;
}

export type Report =
  /** The index has applied the log up to this record. */
  | { readonly kind: "opened"; readonly applied: number; readonly rebuiltBecause: string | null }
  /** An `add` is done. */
  | { readonly kind: "done"; readonly size: AddJob["size"] }
  /** Everything up to this record is in the file. */
  | { readonly kind: "committed"; readonly applied: number }
  /** The text of this mail could not be read. Its subject and addresses can still be searched. */
  | { readonly kind: "skipped"; readonly seq: number; readonly reason: string }
  | { readonly kind: "answer"; readonly answer: Answer }
  /** Uncommitted changes are lost, and the worker does no further jobs. */
  | { readonly kind: "failed"; readonly code: string; readonly message: string }
  | { readonly kind: "closed" };
