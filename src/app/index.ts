export type { ArrivalTagging } from "./arrival-tags.ts";
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
} from "./expectations/index.ts";
export { exportMbox, exportZip, type ZipEntry, zip } from "./export/index.ts";
export { type FaultHit, FaultRuleError, Faults, withBounces } from "./faults/index.ts";
export { Inboxes, type InboxesOptions } from "./inboxes.ts";
export { Mailbox } from "./mailbox.ts";
export type { Arrival } from "./placer.ts";
export { BoundedCache, MessageReader, type MessageReaderOptions } from "./reader/index.ts";
export {
  type RelayRules,
  Release,
  ReleaseError,
  type ReleaseErrorCode,
  type ReleaseOptions,
} from "./release.ts";
export { Retention, type RetentionOptions } from "./retention.ts";
export { type NewToken, TOKEN_PREFIX, Tokens } from "./tokens.ts";
export { SessionTranscript, Transcripts } from "./transcripts.ts";
