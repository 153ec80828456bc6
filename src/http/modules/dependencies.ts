// The parts of the server that the routes use.
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
import type { Logger } from "../../lib/logger.ts";
import type { ServiceInfo, Webhook } from "../../model/index.ts";
import type { MailView, Store } from "../../store/index.ts";
import type { EventStreams } from "../websocket/streams.ts";

/** The parts that the HTTP server gets at its start. */
export interface Parts {
  readonly store: Store;
  readonly logger: Logger;
  readonly now: () => Date;
  readonly mailbox: Pick<Mailbox, "receive">;
  readonly inboxes: Inboxes;
  readonly reader: MessageReader;
  readonly checks: MessageChecks;
  readonly release: Release;
  readonly faults: Faults;
  readonly transcripts: Transcripts;
  readonly tokens: Tokens;
  /** Null unless new mail is relayed. */
  readonly relaying: Pick<Deliveries, "state" | "outcomeOf"> | null;
  readonly facts: ServiceFacts;
  readonly healthChecks: Readonly<Record<string, HealthCheck>>;
  readonly limits: {
    readonly maxWebsockets: number;
    readonly maxBodyBytes?: number;
    /** For mail that arrives over HTTP. */
    readonly maxMessageBytes: number;
    readonly maxRecipients: number;
  };
  /** Where browsers see Mailkeep on a shared site, such as `/mail`; empty at the root. */
  readonly basePath: string;
}

export interface Dependencies extends Parts {
  /** The mail of the inbox in the path of a request, or else all mail that the caller may see. */
  readonly mailOf: (request: Request) => MailView;
  readonly expectationsOf: (request: Request) => Expectations;
  readonly events: EventStreams;
  /** Turns off the idle time-out of a request that may take minutes, such as a wait. */
  readonly keepOpen: (request: Request) => void;
  /** The IP address of the client. */
  readonly addressOf: (request: Request) => string;
  /** Scheme and host as the client knows them. */
  readonly originOf: (request: Request) => string;
  /** The address on which this server listens. */
  readonly http: () => ServiceInfo["http"];
}

/** Checks a part of the server. Resolves if it works, and rejects with the reason if it does not. */
export type HealthCheck = () => Promise<void> | void;

export interface SmtpFigures {
  /** Clients connected now. */
  readonly open: number;
  readonly connections: number;
  readonly turnedAway: number;
  /** By verb. */
  readonly commands: Readonly<Record<string, number>>;
  readonly refusals: ReadonlyMap<string, number>;
}

export interface ServiceFacts {
  readonly version: string;
  readonly commit: string;
  readonly startedAt: Date;
  /** Not affected by changes of the system clock. */
  readonly uptimeMs: () => number;
  readonly storeKind: ServiceInfo["store"]["kind"];
  readonly smtp: () => ServiceInfo["smtp"];
  readonly smtps: () => ServiceInfo["smtps"];
  /** The SMTP ports of inboxes that have their own. */
  readonly inboxPorts: () => ReadonlyMap<string, number>;
  readonly releaseEnabled: boolean;
  readonly smtpFigures: () => SmtpFigures;
  readonly webhooks: () => Webhook[];
  readonly relay: ServiceInfo["relay"];
}
