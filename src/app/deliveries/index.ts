export { Deliveries, type DeliveryTiming } from "./deliveries.ts";
export { Journal, type JournalEntry } from "./journal.ts";
export { relayTarget } from "./relay.ts";
export { type WebhookOptions, webhookTarget } from "./webhook.ts";
