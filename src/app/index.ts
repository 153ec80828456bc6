export { type Arrival, type ArrivalTagging, HeaderStart } from "./arrival.ts";
export { MessageChecks } from "./checks.ts";
export { type ComposedMail, composeRequest } from "./compose.ts";
export { Deliveries, type DeliveryTiming } from "./deliveries/deliveries.ts";
export { Journal, type JournalEntry, JournalSaver, type JournalValue } from "./deliveries/journal.ts";
export { relayTarget } from "./deliveries/relay.ts";
export { webhookTarget } from "./deliveries/webhook.ts";
export { onEvent } from "./events.ts";
export {
  AccessEndedError,
  Expectations,
  InboxRemovedError,
  WaitAbandonedError,
} from "./expectations.ts";
export { exportMbox, exportZip } from "./export.ts";
export { FailedLogins } from "./failed-logins.ts";
export { withBounces } from "./faults/bounces.ts";
export { Faults } from "./faults/faults.ts";
export type { FaultHit } from "./faults/rule.ts";
export { FieldError } from "./field-error.ts";
export { Inboxes, type InboxesOptions } from "./inboxes.ts";
export { logStored, Mailbox, type StoredMail } from "./mailbox.ts";
export { MessageReader } from "./message-reader.ts";
export {
  type RelayRules,
  Release,
  ReleaseError,
  type ReleaseErrorCode,
  type ReleaseOptions,
} from "./release.ts";
export { Retention, type RetentionOptions } from "./retention.ts";
export { TOKEN_PREFIX, Tokens } from "./tokens.ts";
export { type Refusal, SessionTranscript, Transcripts } from "./transcripts.ts";
export { type ZipEntry, zip } from "./zip.ts";
