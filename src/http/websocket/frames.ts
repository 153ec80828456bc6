// What a client is sent for one event, in the variant it asked for when it connected.
import type { InboxEvent, MessagePreview } from "../../model/index.ts";
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

/** Names and fixed fields of a frame. */
const FRAME_BYTES = 300;

/** About how long a frame would be, without making one: most events have nobody who listens. */
export function weightOf(event: InboxEvent): number {
  if (event.type !== "message:new") return FRAME_BYTES;
  const { subject, sender, recipients, tags } = event.data;
  let bytes = FRAME_BYTES + subject.length + sender.length;
  for (const address of recipients) bytes += address.length + 3;
  for (const tag of tags) bytes += tag.length + 3;
  return bytes;
}
