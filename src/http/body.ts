// Reads a JSON request body within its limit. The content type is not asked for:
// `curl -d` sends the wrong one, and a foreign page is kept out by its Origin.
import { shapeOf } from "./json-shape.ts";
import { badRequest, INVALID_JSON, Problem } from "./problem.ts";

/** Stands for no body at all, which is not the same as the JSON word `null`. */
export const NO_BODY = Symbol("no body");

/** No body of ours is nested deeper than a few levels; validating a much deeper one would use up the stack. */
const MAX_DEPTH = 64;
/** Nor has one more than a few thousand; to say what is wrong with very many would keep everybody waiting. */
const MAX_VALUES = 10_000;

export async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  const bytes = await readBytes(request, maxBytes);
  if (bytes.length === 0) return NO_BODY;
  const body = textOf(bytes);
  // No object either, but something was sent: what deletes all without a body must not take it for none.
  if (body.trim() === "") return body;
  const { depth, values } = shapeOf(body);
  if (depth > MAX_DEPTH) {
    throw badRequest("invalid_json", `The request body is nested deeper than ${MAX_DEPTH} levels.`);
  }
  if (values > MAX_VALUES) {
    throw badRequest("invalid_body", `The request body has more than ${MAX_VALUES} values.`);
  }
  try {
    return JSON.parse(body, withoutToString);
  } catch {
    throw INVALID_JSON;
  }
}

/** No field of ours has this name. A value that has it is no text, and fails where an error would show it. */
const withoutToString = (key: string, value: unknown) => (key === "toString" ? undefined : value);

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

/** Without the mark that some programs begin every text with. */
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
