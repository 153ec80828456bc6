// The filters of lists, counts, waits and deletions, after parsing.
import type { Since } from "../query/index.ts";

/** How long the API lets a client wait for mail. The command line refuses more before it asks. */
export const MAX_WAIT_MS = 5 * 60_000;

/** All given conditions must hold. An absent field does not filter. */
export interface MessageFilter {
  /** A search as a person types it; blank is no filter. */
  readonly q?: string;
  readonly starred?: true;
  readonly unread?: true;
  readonly has_attachments?: true;
  /** Any of these tags, exact and case-sensitive. */
  readonly tags?: readonly string[];
  /** Substrings, case-insensitive by Unicode. */
  readonly subject?: string;
  readonly sender?: string;
  readonly recipient?: string;
  /** Whole addresses, case-insensitive. */
  readonly from?: string;
  readonly to?: string;
  /** Part of the fields From and To: a name or an address, case-insensitive by Unicode. */
  readonly header_from?: string;
  readonly header_to?: string;
  /** Only what is newer than this message or instant. */
  readonly since?: Since;
}

export interface ListQuery {
  readonly filter: MessageFilter;
  readonly limit: number;
  /** Either a keyset cursor (a message id) or an offset, never both. */
  readonly before?: string;
  readonly offset?: number;
}

/** What a PATCH may change; absent fields stay. */
export interface MessageChange {
  readonly is_read?: boolean;
  readonly is_starred?: boolean;
  readonly tags?: readonly string[];
}
