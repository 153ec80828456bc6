// The parts between store, SMTP and HTTP: the mailbox, and services that read, watch and forward mail.
import {
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
import type { CheckSettings } from "../../checks/index.ts";
import type { ServeSettings } from "../../config/index.ts";
import { openBodyParser, openChecker, SERVER_NAME } from "./bundle.ts";
import { type DeliveryOptions, type DeliverySettings, startDeliveries } from "./deliveries.ts";

interface ServicesOptions extends DeliveryOptions {
  readonly checkSettings: CheckSettings;
  readonly faults: Faults;
  readonly inboxes: Inboxes;
  readonly transcripts: Transcripts;
  readonly deliverySettings: DeliverySettings;
}

export function startServices(settings: ServeSettings, options: ServicesOptions) {
  const { store, logger, now, onStop, checkSettings, faults, inboxes, transcripts, deliverySettings } =
    options;
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
    inboxes,
    retention,
    tagging: { plusAddresses: settings.tagPlusAddresses, header: settings.tagHeader },
  });
  const bodyParser = openBodyParser();
  onStop(() => bodyParser.close());
  const reader = new MessageReader({ store, bodyParser });
  const checker = openChecker(checkSettings);
  onStop(() => checker.close());
  return {
    reader,
    checks: new MessageChecks({ store, reader, checker }),
    /** Where SMTP and the API put mail. */
    mailbox: settings.faultAddresses
      ? withBounces(inbox, { inboxes, serverName: SERVER_NAME, now, logger })
      : inbox,
    faults,
    inboxes,
    transcripts,
    ...startDeliveries(deliverySettings, options),
    release: new Release({
      store,
      enabled: !settings.noRelease,
      allow: settings.releaseAllow,
      deny: deliverySettings.deny,
      relay: deliverySettings.relay,
      name: SERVER_NAME,
    }),
  };
}

export type Services = ReturnType<typeof startServices>;
