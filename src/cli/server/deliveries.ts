// From settings to webhooks and the relay: their filters are read before anything is opened, and each has its journal in
// the data folder.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Deliveries, Journal, type RelayRules, relayTarget, webhookTarget } from "../../app/index.ts";
import { type ServeSettings, UsageError } from "../../config/index.ts";
import { parseFilter } from "../../http/index.ts";
import type { MessageFilter, Webhook } from "../../model/index.ts";
import { searchHint } from "../../query/index.ts";
import { SERVER_NAME, VERSION } from "../command/version.ts";

type WebhookSetting = ServeSettings["webhook"][number];

export interface DeliverySettings {
  readonly webhooks: readonly (WebhookSetting & { readonly parsed: MessageFilter })[];
  readonly relay: (RelayRules & { readonly filter: MessageFilter }) | null;
}

export const deliverySettings = (settings: ServeSettings): DeliverySettings => ({
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
          deny: settings.relayDeny,
          filter: filterOf(settings.relayFilter ?? "", "--relay-filter"),
        },
});

function filterOf(text: string, what: string): MessageFilter {
  try {
    return parseFilter(text);
  } catch (error) {
    throw new UsageError(`${what}: ${(error as Error).message}`);
  }
}

interface Needed extends Pick<ConstructorParameters<typeof Deliveries>[0], "store" | "bus" | "logger"> {
  readonly now: () => Date;
  readonly onStop: (close: () => Promise<void> | void) => void;
  readonly dataDir: string | null;
}

export function startDeliveries({ webhooks, relay }: DeliverySettings, options: Needed) {
  const { dataDir, onStop, now } = options;
  for (const { parsed } of webhooks) warnOfTypo("webhook", parsed, options);
  if (relay) warnOfTypo("relay", relay.filter, options);
  const journals = new Journals(dataDir);
  const started = webhooks.map(({ url, format, secret, filter, parsed }) => {
    const target = webhookTarget({ url, format, secret, now, userAgent: `${SERVER_NAME}/${VERSION}` });
    const deliveries = new Deliveries({
      ...options,
      target,
      filter: parsed,
      journal: journals.of([withoutLogin(url), filter], 1),
    });
    onStop(() => deliveries.stop());
    return (): Webhook => ({ ...deliveries.state, format, filter, signed: secret !== undefined });
  });
  // Without a rule that allows it nothing is forwarded on arrival: the server is for releases alone.
  const relaying = relay && relay.allow.length > 0 ? startRelay(relay, options, journals) : null;
  journals.removeOthers();
  return { webhooks: () => started.map((state) => state()), relaying };
}

/** The search of a filter is never an error, but nobody is there to see that it matches nothing. */
function warnOfTypo(name: string, { q = "" }: MessageFilter, { logger }: Needed): void {
  const hint = searchHint(q);
  if (hint !== null) logger.warn(`${name} filter may be misspelt`, { q, hint });
}

const KEPT_OUTCOMES = 10_000;

function startRelay(relay: NonNullable<DeliverySettings["relay"]>, options: Needed, journals: Journals) {
  const { filter, ...rules } = relay;
  const { host, port } = rules.server;
  const deliveries = new Deliveries({
    ...options,
    filter,
    target: relayTarget({ rules, store: options.store, name: SERVER_NAME }),
    journal: journals.of([host, port, rules.allow, rules.deny, filter], KEPT_OUTCOMES),
  });
  options.onStop(() => deliveries.stop());
  return deliveries;
}

/** A new password is no new receiver. */
const withoutLogin = (url: string): string =>
  Object.assign(new URL(url), { username: "", password: "" }).href;

/** One file for each target, named by a digest: the address may hold a secret. */
class Journals {
  readonly #folder: string | null;
  readonly #names = new Set<string>();

  constructor(dataDir: string | null) {
    this.#folder = dataDir === null ? null : join(dataDir, "deliveries");
  }

  /** By what decides about what is sent where: another filter must not bring up old mail. */
  of(identity: readonly unknown[], kept: number): Journal {
    const digest = createHash("sha256").update(JSON.stringify(identity)).digest("hex");
    const name = `${digest.slice(0, 32)}.jsonl`;
    this.#names.add(name);
    if (this.#folder === null) return new Journal(null, kept);
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    return new Journal(join(this.#folder, name), kept);
  }

  /** A target that comes back after it was taken out must not be sent what came meanwhile. */
  removeOthers(): void {
    if (this.#folder === null || !existsSync(this.#folder)) return;
    for (const name of readdirSync(this.#folder))
      if (!this.#names.has(name)) rmSync(join(this.#folder, name), { force: true });
  }
}
