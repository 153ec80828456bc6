// What a client is sent for one event, in the variant it asked for when it connected.
import type { MessagePreview } from "../../model/index.ts";
import type { NumberedEvent } from "./history.ts";

export interface Variant {
  /** Frames carry `seq`. */
  readonly resume: boolean;
  /** `message:new` carries `data.preview`. */
  readonly preview: boolean;
}

export const topicOf = ({ resume, preview }: Variant) =>
  `events${resume ? "+seq" : ""}${preview ? "+preview" : ""}`;

export function frameOf(
  { seq, event }: NumberedEvent,
  resume: boolean,
  preview?: MessagePreview | null,
): string {
  const shown =
    event.type === "message:new" && preview ? { type: event.type, data: { ...event.data, preview } } : event;
  return JSON.stringify(resume ? { ...shown, seq } : shown);
}
