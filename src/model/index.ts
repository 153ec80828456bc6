export { type Caller, CreatedToken, Me, Role, Token, TokenList, TokenRequest } from "./access.ts";
export { CountFails, CountHolds, NearMiss, WaitTimedOut } from "./assertion.ts";
export {
  CHECK_NAMES,
  Check,
  CheckFinding,
  type CheckName,
  CheckReport,
  CheckRequest,
  DnsRecords,
} from "./checks.ts";
export {
  Attachment,
  AttachmentList,
  AuthResults,
  CodeList,
  HeaderList,
  type LinkHint,
  LinkList,
  MessageCode,
  MessageHeader,
  MessageLink,
} from "./content.ts";
export { DeliveryState, RelayOutcome, type Webhook, WebhookList } from "./delivery.ts";
export { InboxEvent } from "./event.ts";
export { Fault, FaultList, FaultRule, FaultRuleList, MAX_FAULT_RULES } from "./faults.ts";
export { type ListQuery, MAX_WAIT_MS, type MessageChange, type MessageFilter } from "./filter.ts";
export {
  DEFAULT_INBOX,
  type DeclaredInbox,
  DeclaredInboxes,
  INBOX_NAME,
  INBOX_NAME_RULE,
  InboxList,
  InboxName,
  InboxRequest,
  InboxState,
  OpenedInbox,
} from "./inbox.ts";
export {
  BulkChangeRequest,
  BulkDeleted,
  BulkDeleteRequest,
  BulkUpdated,
  DeletedCount,
  MAX_TAGS,
  MessageChangeRequest,
  MessageList,
  Tag,
  TagList,
} from "./mailbox.ts";
export { Message, MessagePreview, MessageSummary, Ulid } from "./message.ts";
export { ReleaseReceipt, ReleaseRequest } from "./release.ts";
export { SendRequest, SentMessage } from "./send.ts";
export { ApiError, FailingHealthReport, HealthReport, ServiceInfo } from "./service.ts";
export { Rejection, RejectionList, type RejectionStage, Transcript } from "./transcript.ts";
