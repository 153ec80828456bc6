// What the routes use; each takes only what it needs.
import type {
  Deliveries,
  Expectations,
  Faults,
  Inboxes,
  Mailbox,
  MessageChecks,
  MessageReader,
  Release,
  Tokens,
  Transcripts,
} from "../../app/index.ts";
import type { MailView } from "../../store/index.ts";

export interface Dependencies {
  /** Where new mail goes. */
  readonly mailbox: Pick<Mailbox, "receive">;
  /** The mail that a request is about: what the caller may see, or what is in the inbox of its path. */
  readonly mailOf: (request: Request) => MailView;
  readonly inboxes: Inboxes;
  readonly reader: MessageReader;
  readonly checks: MessageChecks;
  /** Waits and assertions about that mail. */
  readonly expectationsOf: (request: Request) => Expectations;
  readonly release: Release;
  readonly faults: Faults;
  readonly transcripts: Transcripts;
  readonly tokens: Tokens;
  /** Forwards new mail, if that is configured. */
  readonly relaying: Pick<Deliveries, "state" | "outcomeOf"> | null;
  /** The path of a shared site below which browsers see Mailkeep, such as `/mail`; empty at the root. */
  readonly basePath: string;
  /** Turns off the idle time-out of a request that may wait. Searches wait, too, for the text index. */
  readonly keepOpen: (request: Request) => void;
}
