export type { ArrivalTagging } from "./arrival.ts";
export { MessageChecks } from "./checks.ts";
export { type ComposedMail, composeRequest, SendRequestError } from "./compose.ts";
export {
  Deliveries,
  type DeliveryTiming,
  Journal,
  type JournalEntry,
  relayTarget,
  webhookTarget,
} from "./deliveries/index.ts";
export {
  AccessEndedError,
  Expectations,
  InboxRemovedError,
  WaitAbandonedError,
} from "./expectations.ts";
export { exportMbox, exportZip } from "./export.ts";
export { type FaultHit, FaultRuleError, Faults, withBounces } from "./faults/index.ts";
export { Inboxes, type InboxesOptions } from "./inboxes.ts";
export { Mailbox } from "./mailbox.ts";
export { MessageReader } from "./message-reader.ts";
export type { Arrival } from "./placer.ts";
export {
  type RelayRules,
  Release,
  ReleaseError,
  type ReleaseErrorCode,
  type ReleaseOptions,
} from "./release.ts";
export { Retention, type RetentionOptions } from "./retention.ts";
export { TOKEN_PREFIX, Tokens } from "./tokens.ts";
export { SessionTranscript, Transcripts } from "./transcripts.ts";
export { type ZipEntry, zip } from "./zip.ts";
