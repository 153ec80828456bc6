export { type LoginAttempt, MECHANISMS, type Mechanism } from "./auth.ts";
export { type CommandName, VERBS } from "./command.ts";
export type { CloseReason, SessionEffects, SessionLimits, SessionPolicy } from "./contract.ts";
export {
  DROPPED,
  IDLE_TOO_LONG,
  INTERNAL_FAILURE,
  LOGIN_ENDED,
  MESSAGE_TOO_SLOW,
  type Reply,
  refusalOnPurpose,
  SHUTTING_DOWN,
  TOO_MANY_CONNECTIONS,
} from "./replies.ts";
export { type CommitFailure, Session } from "./session.ts";
