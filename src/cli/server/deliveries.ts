// Starts webhooks and the relay from the settings, each with a journal.
import { createHash } from "node:crypto";
import {
  Deliveries,
  Journal,
  JournalSaver,
  type JournalValue,
  type RelayRules,
  relayTarget,
  webhookTarget,
} from "../../app/index.ts";
import { type ServeSettings, UsageError } from "../../config/index.ts";
import { parseFilter } from "../../http/index.ts";
import type { MessageFilter, Webhook } from "../../model/index.ts";
import { searchHint } from "../../query/index.ts";
import type { Setting, Store } from "../../store/index.ts";
import { SERVER_NAME, VERSION } from "./bundle.ts";

export const OUTCOME_PREFIX = "delivery/";

type WebhookSetting = ServeSettings["webhook"][number];

export interface DeliverySettings {
  readonly webhooks: readonly (WebhookSetting & { readonly parsed: MessageFilter })[];
  readonly relay: (RelayRules & { readonly filter: MessageFilter }) | null;
  readonly deny: readonly string[];
}

export function deliverySettings(settings: ServeSettings): DeliverySettings {
  // Mail to `bounce+5…@…` bounces on purpose, so it must not be relayed.
  const deny = [...settings.relayDeny, ...(settings.faultAddresses ? ["bounce+5.*@*"] : [])];
  return {
    webhooks: settings.webhook.map((given) => ({
      ...given,
      secret: given.secret ?? settings.webhookSecret,
      parsed: filterOf(given.filter, "webhook: filter"),
    })),
    relay:
      settings.relay === undefined
        ? null
        : {
            server: settings.relay,
            allow: settings.relayAllow,
            deny,
            filter: filterOf(settings.relayFilter ?? "", "--relay-filter"),
          },
    deny,
  };
}

function filterOf(text: string, what: string): MessageFilter {
  try {
    return parseFilter(text);
  } catch (error) {
    throw new UsageError(`${what}: ${(error as Error).message}`);
  }
}

export interface DeliveryOptions extends Pick<ConstructorParameters<typeof Deliveries>[0], "logger"> {
  readonly store: Store;
  readonly now: () => Date;
  readonly onStop: (close: () => Promise<void> | void) => void;
  /** The outcomes and positions that the log had when the server started. */
  readonly outcomes: readonly Setting[];
  /**
   * The id of the newest mail when the server started. A new target gets all later mail, even if
   * it arrived before this node became the leader. Only the leader delivers.
   */
  readonly newest: string;
}

export function startDeliveries({ webhooks, relay }: DeliverySettings, options: DeliveryOptions) {
  const { now, store } = options;
  for (const { parsed } of webhooks) warnOfTypo("webhook", parsed, options);
  if (relay) warnOfTypo("relay", relay.filter, options);
  const journals = openJournals(options);
  const started = webhooks.map(({ url, format, secret, filter, parsed }) => {
    const target = webhookTarget({ url, format, secret, now, userAgent: `${SERVER_NAME}/${VERSION}` });
    const journal = journals.of([withoutLogin(url), filter], 0);
    const deliveries = whileLeading(options, { target, filter: parsed, journal });
    return (): Webhook => ({ ...deliveries.state, format, filter, signed: secret !== undefined });
  });
  // Without --relay-allow the relay server is only used for releases.
  const relaying = relay && relay.allow.length > 0 ? startRelay(relay, options, journals) : null;
  store.onLead((isLeader) => {
    if (isLeader) journals.removeOthers();
  });
  return { webhooks: () => started.map((state) => state()), relaying };
}

type TargetParts = Pick<ConstructorParameters<typeof Deliveries>[0], "target" | "filter" | "journal">;

const NOT_HERE = {
  state: "idle",
  waiting: 0,
  delivered: 0,
  failed: 0,
  skipped: 0,
  last_delivery: null,
  last_error: null,
  next_try: null,
} as const;

/** With several nodes, only the leader delivers. The next leader continues from the journal. */
function whileLeading(options: DeliveryOptions, parts: TargetParts): Pick<Deliveries, "state" | "outcomeOf"> {
  const { origin } = parts.target;
  let running: Deliveries | null = null;
  const stop = async () => {
    const ending = running;
    // Reset at once: this node may become the leader again before the grace period is over.
    running = null;
    await ending?.stop();
  };
  options.store.onLead((isLeader) => {
    if (isLeader) running ??= new Deliveries({ ...options, ...parts });
    else void stop();
  });
  options.onStop(stop);
  return {
    get state() {
      return running?.state ?? { origin, ...NOT_HERE };
    },
    outcomeOf: (id) => running?.outcomeOf(id) ?? parts.journal.outcomeOf(id),
  };
}

/** A misspelt search operator is an error only after a minus. Without this warning, nobody would notice the others. */
function warnOfTypo(name: string, { q = "" }: MessageFilter, { logger }: DeliveryOptions): void {
  const hint = searchHint(q);
  if (hint !== null) logger.warn(`${name} filter may be misspelt`, { q, hint });
}

const KEPT_OUTCOMES = 1000;

function startRelay(
  relay: NonNullable<DeliverySettings["relay"]>,
  options: DeliveryOptions,
  journals: ReturnType<typeof openJournals>,
) {
  const { filter, ...rules } = relay;
  const { host, port } = rules.server;
  return whileLeading(options, {
    filter,
    target: relayTarget({ rules, store: options.store, name: SERVER_NAME }),
    journal: journals.of([host, port, rules.allow, rules.deny, filter], KEPT_OUTCOMES),
  });
}

/** The login is not part of the identity: a webhook keeps its journal with a new password. */
const withoutLogin = (url: string): string =>
  Object.assign(new URL(url), { username: "", password: "" }).href;

const idOf = (value: JournalValue): string => (typeof value === "string" ? value : value.id);

/** Opens journals in the log. They are named by digests, because URLs of targets may hold secrets. */
function openJournals({ store, logger, outcomes, onStop }: DeliveryOptions) {
  const saver = new JournalSaver(store, logger);
  const names = new Set<string>();
  // Oldest first, so that a full journal forgets the oldest outcome.
  const saved = outcomes
    .map(({ key, value }) => ({ key, value: value as JournalValue }))
    .toSorted((a, b) => (idOf(a.value) < idOf(b.value) ? -1 : 1));
  let isLeader = false;
  store.onLead((leads) => {
    isLeader = leads;
    // Values that this node could not save as leader are out of date, even if it becomes the leader again.
    saver.forget();
  });
  onStop(async () => {
    if (isLeader) await saver.saveAll();
  });
  return {
    /** A new filter starts a new journal: old mail must not reach the target, even if it matches. */
    of(identity: readonly unknown[], kept: number): Journal {
      const name = createHash("sha256").update(JSON.stringify(identity)).digest("hex").slice(0, 32);
      names.add(name);
      const prefix = `${OUTCOME_PREFIX}${name}/`;
      const journal = new Journal(kept, (part, value) => saver.save(prefix + part, value));
      const load = (key: string, value: JournalValue | null) => {
        if (key.startsWith(prefix) && value !== null) journal.load(key.slice(prefix.length), value);
      };
      for (const { key, value } of saved) load(key, value);
      store.onChange((change) => {
        // While a newer value of this key waits to be saved, the one from the log is out of date.
        if (change.kind === "setting" && !saver.isUnsaved(change.key))
          load(change.key, change.value as JournalValue | null);
      });
      return journal;
    },

    /** Removes journals of former targets. A target that is added again gets only new mail. */
    removeOthers(): void {
      for (const { key } of saved) if (!names.has(key.split("/")[1] ?? "")) saver.save(key, null);
    },
  };
}
