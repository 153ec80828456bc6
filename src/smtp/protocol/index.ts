export { type LoginAttempt, MECHANISMS, type Mechanism } from "./auth.ts";
export { type CommandName, VERBS } from "./command.ts";
export type { CloseReason, Envelope, SessionEffects } from "./effects.ts";
export type { SessionPolicy } from "./policy.ts";
export {
  DROPPED,
  IDLE_TOO_LONG,
  INBOX_REMOVED,
  INTERNAL_FAILURE,
  MESSAGE_TOO_SLOW,
  type Reply,
  refusalOnPurpose,
  SHUTTING_DOWN,
  TOO_MANY_CONNECTIONS,
} from "./replies.ts";
export { type CommitFailure, Session } from "./session.ts";
