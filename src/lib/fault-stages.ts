// Where a fault on purpose can happen.

/** In the order in which a session passes them. */
export const FAULT_STAGES = ["connect", "ehlo", "starttls", "auth", "mail", "rcpt", "data", "end"] as const;
export type FaultStage = (typeof FAULT_STAGES)[number];
