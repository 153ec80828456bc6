// The shapes that the API speaks, derived from the same schemas as the server. Types only: nothing of
// the server is bundled into the client.
export type {
  Attachment,
  AttachmentList,
  CodeList,
  CountFails,
  CountHolds,
  DeletedCount,
  HeaderList,
  HealthReport,
  InboxEvent,
  LinkList,
  Message,
  MessageChangeRequest as MessageChange,
  MessageCode,
  MessageHeader,
  MessageLink,
  MessageList,
  MessageSummary,
  NearMiss,
  ServiceInfo,
  WaitTimedOut,
} from "../model/index.ts";
