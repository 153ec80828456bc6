// What is wrong with a field of a request body, in words for a person: what it must be, not what a validator expected.
import { type ValueError, ValueErrorType } from "@sinclair/typebox/errors";

export function reasonOf({ type, schema }: Partial<ValueError> = {}): string {
  if (type === ValueErrorType.ObjectRequiredProperty) return "is missing";
  if (type === ValueErrorType.String) return "must be a string";
  const accepted = schema && acceptedBy(schema);
  return accepted ? `must be ${accepted}` : "does not fit";
}

function acceptedBy(schema: ValueError["schema"]): string | undefined {
  if (schema.type === "boolean") return "true or false";
  if (schema.type === "integer") return `an integer from ${schema.minimum} to ${schema.maximum}`;
  if (schema.type === "array") return `an array of ${countOf(schema.minItems, schema.maxItems)} values`;
  return schema.description;
}

const countOf = (least: number | undefined, most: number) =>
  least === undefined ? `at most ${most}` : `${least} to ${most}`;
