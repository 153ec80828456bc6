// What the routes work with; each takes what it needs.
import type {
  Deliveries,
  Expectations,
  Faults,
  Inbox,
  MessageChecks,
  MessageReader,
  Release,
  Tokens,
  Transcripts,
} from "../../app/index.ts";
import type { Store } from "../../store/index.ts";

export interface Parts {
  readonly inbox: Inbox;
  /** Where new mail goes, with all that happens to it there. */
  readonly mailbox: Pick<Inbox, "receive">;
  readonly store: Store;
  readonly reader: MessageReader;
  readonly checks: MessageChecks;
  readonly expectations: Expectations;
  readonly release: Release;
  readonly faults: Faults;
  readonly transcripts: Transcripts;
  readonly tokens: Tokens;
  /** Forwards new mail, if that is configured. */
  readonly relaying: Pick<Deliveries, "state" | "outcomeOf"> | null;
  /** The path of a shared site below which browsers see all this, such as `/mail`; empty at the root. */
  readonly basePath: string;
  /** Lifts the idle time-out from a request that will wait. A search waits, too: for the text index. */
  readonly keepOpen: (request: Request) => void;
}
