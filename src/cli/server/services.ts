// Everything between the store and SMTP or HTTP: the inbox, and what reads, watches and forwards mail.
import {
  Expectations,
  type Faults,
  type Inboxes,
  Mailbox,
  MessageChecks,
  MessageReader,
  Release,
  Retention,
  type Transcripts,
  withBounces,
} from "../../app/index.ts";
import { Checker, type CheckSettings } from "../../checks/index.ts";
import type { ServeSettings } from "../../config/index.ts";
import { EventBus } from "../../events/index.ts";
import type { Logger } from "../../lib/logger.ts";
import { createBodyParser } from "../../mime/index.ts";
import type { InboxEvent } from "../../model/index.ts";
import type { Setting, Store } from "../../store/index.ts";
import { SERVER_NAME } from "../command/version.ts";
import { startWorker } from "./bundle.ts";
import { type DeliverySettings, startDeliveries } from "./deliveries.ts";

const PARSE_TIMEOUT_MS = 10_000;
const CHECK_TIMEOUT_MS = 10_000;
/** Receiving a much larger result from the worker would block the main thread. */
const MAX_PARSED_BYTES = 8 * 1024 ** 2;

export interface ServicesOptions {
  readonly store: Store;
  readonly logger: Logger;
  readonly now: () => Date;
  readonly onStop: (close: () => Promise<void> | void) => void;
  readonly checkSettings: CheckSettings;
  readonly faults: Faults;
  readonly inboxes: Inboxes;
  readonly transcripts: Transcripts;
  readonly deliverySettings: DeliverySettings;
  /** Null when the mail is in memory. */
  readonly dataDir: string | null;
  /** What nodes that share a log have saved of their deliveries. */
  readonly outcomes: readonly Setting[];
  /** Gets every event before anybody else does. */
  readonly onEvent: ((event: InboxEvent) => void) | undefined;
}

export function startServices(settings: ServeSettings, options: ServicesOptions) {
  const { store, logger, now, onStop, checkSettings, faults, inboxes, deliverySettings } = options;
  const { transcripts, dataDir, onEvent, outcomes } = options;
  const onFailure = (error: unknown) => logger.error("event subscriber failed", { error: String(error) });
  const bus = new EventBus<InboxEvent>(onFailure);
  if (onEvent) bus.subscribe(onEvent);
  const retention = new Retention({
    store,
    logger,
    now,
    maxAgeMs: settings.retention,
    maxMessages: settings.maxMessages,
    maxBytes: settings.maxDisk,
    includeStarred: settings.retentionStarred,
  });
  store.onLead((isLeader) => retention.lead(isLeader));
  onStop(() => retention.stop());
  const inbox = new Mailbox({
    store,
    bus,
    inboxes,
    retention,
    tagging: { plusAddresses: settings.tagPlusAddresses, header: settings.tagHeader },
  });
  const bodyParser = createBodyParser({
    startWorker: () => startWorker("parse-worker"),
    timeoutMs: PARSE_TIMEOUT_MS,
    maxBytes: MAX_PARSED_BYTES,
  });
  onStop(() => bodyParser.close());
  const reader = new MessageReader({ store, bus, bodyParser });
  const checker = new Checker({
    startWorker: () => startWorker("check-worker"),
    timeoutMs: CHECK_TIMEOUT_MS,
    ...checkSettings,
  });
  onStop(() => checker.close());
  return {
    bus,
    inbox,
    reader,
    checks: new MessageChecks({ store, reader, bus, checker }),
    /** Where SMTP and the API put mail. */
    mailbox: settings.faultAddresses
      ? withBounces(inbox, { inboxes, serverName: SERVER_NAME, now, logger })
      : inbox,
    faults,
    inboxes,
    transcripts,
    ...startDeliveries(deliverySettings, { store, bus, logger, now, onStop, dataDir, outcomes }),
    expectations: new Expectations({ store, bus, clock: () => performance.now() }),
    release: new Release({
      store,
      enabled: !settings.noRelease,
      allow: settings.releaseAllow,
      relay: deliverySettings.relay,
      name: SERVER_NAME,
    }),
  };
}

export type Services = ReturnType<typeof startServices>;
