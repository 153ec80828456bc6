// The subject of a message: decoded, of several the last that says something.
import type { RawField } from "./header-block.ts";
import { decodeHeaderText } from "./header-text.ts";
import { MAX_SUBJECT_CHARS } from "./limits.ts";

export function readSubject(fields: readonly RawField[]): string {
  const field = fields.findLast(({ key, value }) => key === "subject" && value !== "");
  return field ? decodeHeaderText(field.value.slice(0, MAX_SUBJECT_CHARS)) : "";
}
