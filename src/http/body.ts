// Request bodies: JSON, limited in size and checked by the schema of the route. The content type is ignored, because
// `curl -d` sends the wrong type. That is safe, because requests of other sites' pages are refused by their Origin.
import { type Static, type TSchema, TypeGuard } from "@sinclair/typebox";
import { type ValueError, ValueErrorType } from "@sinclair/typebox/errors";
import { Value } from "@sinclair/typebox/value";
import { Elysia } from "elysia";
import { badRequest, INVALID_JSON, invalidField, knownNames, NO_OBJECT, Problem } from "./problem.ts";

/** A request without a body. The JSON word `null` is a body. */
const NO_BODY = Symbol("no body");

export const jsonBody = (maxBytesAt: (path: string) => number) =>
  new Elysia({ name: "json-body" }).onParse({ as: "global" }, ({ request, path }) =>
    readJson(request, maxBytesAt(path)),
  );

/** Throws a Problem that names what is wrong. Undefined if there is no body and the schema is optional. */
export function checked<Schema extends TSchema>(schema: Schema, given: unknown): Static<Schema> {
  if (TypeGuard.IsOptional(schema) && (given === NO_BODY || given === undefined)) return undefined;
  const error = Value.Errors(schema, given).First();
  if (error === undefined) return given;
  const field = error.path.slice(1).replaceAll("/", ".");
  throw field === "" ? NO_OBJECT : invalidField(field, fieldReason(error));
}

export function fieldReason({ type, schema, path }: ValueError): string {
  if (type === ValueErrorType.ObjectRequiredProperty) return "is missing";
  if (type === ValueErrorType.ObjectAdditionalProperties)
    return schema.propertyNames
      ? `must have a name of ${schema.propertyNames.description}`
      : `is not known here; ${knownNames(path.slice(path.lastIndexOf("/") + 1), Object.keys(schema.properties))}`;
  if (type === ValueErrorType.String) return "must be a string";
  const accepted = acceptedBy(schema);
  return accepted ? `must be ${accepted}` : "is not valid";
}

function acceptedBy(schema: TSchema): string | undefined {
  if (schema.type === "boolean") return "true or false";
  if (schema.type === "integer" && schema.maximum === undefined)
    return `an integer of at least ${schema.minimum}`;
  if (schema.type === "integer") return `an integer from ${schema.minimum} to ${schema.maximum}`;
  if (schema.type === "array" && schema.maxItems === undefined) return "an array";
  if (schema.type === "array") return `an array of ${countOf(schema.minItems, schema.maxItems)} values`;
  return schema.description ?? (schema.type === "object" ? "an object" : undefined);
}

const countOf = (least: number | undefined, most: number) =>
  least === undefined ? `at most ${most}` : `${least} to ${most}`;

async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  const bytes = await readBytes(request, maxBytes);
  if (bytes.length === 0) return NO_BODY;
  const text = textOf(bytes);
  // A DELETE without a body deletes all mail. A blank body must not count as no body.
  if (text.trim() === "") return text;
  try {
    return JSON.parse(text);
  } catch {
    throw INVALID_JSON;
  }
}

async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw bodyTooLarge(maxBytes);
  if (!request.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > maxBytes) throw bodyTooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Removes the byte order mark that some programs write. */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw badRequest("invalid_json", "The request body is not valid UTF-8.");
  }
}

export function bodyTooLarge(maxBytes: number) {
  return new Problem(413, "body_too_large", `The request body is larger than ${maxBytes} bytes.`);
}
