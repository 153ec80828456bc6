// The subject of a message: decoded, of several the last that says something.
import { MAX_SUBJECT_CHARS } from "../limits.ts";
import type { RawField } from "./header-block.ts";
import { decodeHeaderText } from "./header-text.ts";

const subjectField = (fields: readonly RawField[]) =>
  fields.findLast(({ key, value }) => key === "subject" && value !== "");

export function readSubject(fields: readonly RawField[]): string {
  const field = subjectField(fields);
  return field ? decodeHeaderText(field.value.slice(0, MAX_SUBJECT_CHARS)) : "";
}

/** Whether all of it was read. */
export const isSubjectWhole = (fields: readonly RawField[]): boolean =>
  (subjectField(fields)?.value.length ?? 0) <= MAX_SUBJECT_CHARS;
