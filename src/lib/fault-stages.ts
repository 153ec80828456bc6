// Where a fault on purpose can happen, in the order in which a session passes the stages. `end` is that of a message.
export const FAULT_STAGES = ["connect", "ehlo", "starttls", "auth", "mail", "rcpt", "data", "end"] as const;
export type FaultStage = (typeof FAULT_STAGES)[number];
