// The stages of a session at which a fault can happen, in their order. `end` is the end of a message.
export const FAULT_STAGES = ["connect", "ehlo", "starttls", "auth", "mail", "rcpt", "data", "end"] as const;
export type FaultStage = (typeof FAULT_STAGES)[number];
