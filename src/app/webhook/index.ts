export { Webhook, type WebhookOptions } from "./webhook.ts";
