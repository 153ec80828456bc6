// What is read of body parts that are too much together: their start, up to a limit that text and HTML share, so
// that neither leaves nothing to the other.
import type { BodyPart } from "./bodies.ts";

/** Base64 counts as what it decodes to: a line of 76 characters and its end hold 57 octets. */
const BASE64_WEIGHT = 57 / 78;

const weightOfByte = ({ encoding }: BodyPart) => (encoding === "base64" ? BASE64_WEIGHT : 1);
const weightOf = (part: BodyPart) => (part.end - part.start) * weightOfByte(part);

const weightOfKind = (parts: readonly BodyPart[], kind: BodyPart["kind"]) =>
  parts.reduce((sum, part) => (part.kind === kind ? sum + weightOf(part) : sum), 0);

/** The same parts when they are not too much. */
export function partsWithin(parts: readonly BodyPart[], maxBytes: number): readonly BodyPart[] {
  const [text, html] = [weightOfKind(parts, "text"), weightOfKind(parts, "html")];
  if (text + html <= maxBytes) return parts;
  const half = maxBytes / 2;
  const room = { text: Math.max(half, maxBytes - html), html: Math.max(half, maxBytes - text) };
  return parts.flatMap((part) => {
    const left = room[part.kind];
    room[part.kind] -= weightOf(part);
    if (room[part.kind] >= 0) return part;
    return left > 0 ? startOfPart(part, Math.floor(left / weightOfByte(part))) : [];
  });
}

export const startOfPart = (part: BodyPart, bytes: number): BodyPart =>
  part.end - part.start <= bytes ? part : { ...part, end: part.start + bytes, isCut: true };
