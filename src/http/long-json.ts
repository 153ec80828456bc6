// JSON of a value that holds long strings, such as a mail's bodies: written piece by piece as the client reads it,
// so that an answer of megabytes neither keeps other requests waiting nor lies in memory.
import { isLong, piecesOf } from "./long-text.ts";

/** Whether some member of an object is a string too long to be written in one turn. */
export const hasLongString = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && Object.values(value).some(isLongString);

const isLongString = (member: unknown): member is string => typeof member === "string" && isLong(member);

/** The same bytes as JSON.stringify gives, each piece when it is asked for. */
export async function* encodeLong(
  value: Readonly<Record<string, unknown>>,
): AsyncGenerator<Uint8Array, void, void> {
  let before = "{";
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const start = `${before}${JSON.stringify(key)}:`;
    before = ",";
    if (!isLongString(member)) {
      yield Buffer.from(start + JSON.stringify(member));
      continue;
    }
    yield Buffer.from(`${start}"`);
    for await (const piece of piecesOf(member)) yield Buffer.from(JSON.stringify(piece).slice(1, -1));
    yield Buffer.from('"');
  }
  yield Buffer.from("}");
}
