// JSON of a value that holds much text, such as a mail's bodies or the recipients of many mails: written piece by
// piece as the client reads it, so that an answer of megabytes neither keeps other requests waiting nor lies in memory.
import { ownTurn } from "../lib/own-turn.ts";
import { LONG_CHARS, PIECE_CHARS, piecesOf } from "./long-text.ts";

type Members = Readonly<Record<string, unknown>>;

const MANY_MEMBERS = 1000;

/** Of a name, a number, or what surrounds a value. */
const MEMBER_CHARS = 4;

/**
 * Whether some member of an object is too long to be written in one turn, or still being read. Every answer passes
 * here, so lists of anything but strings are not looked through, only counted: whoever reads them bounds the rest.
 */
export const isLongObject = (value: unknown): value is Members =>
  isObject(value) && !Array.isArray(value) && Object.values(value).some(isLongMember);

const isLongMember = (member: unknown): boolean =>
  isAsyncIterable(member) ||
  (Array.isArray(member) && member.length > MANY_MEMBERS) ||
  (isText(member) && roomBeside(member, LONG_CHARS) < 0);

const isText = (member: unknown): boolean => typeof (Array.isArray(member) ? member[0] : member) === "string";

const isObject = (value: unknown): value is Members => typeof value === "object" && value !== null;

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  isObject(value) && Symbol.asyncIterator in value;

const hasPieces = (value: unknown): boolean => roomBeside(value, PIECE_CHARS) < 0;

/** What is left of the room for about as many characters as the value has; it stops counting below zero. */
function roomBeside(value: unknown, room: number): number {
  if (typeof value === "string") return room - value.length;
  if (!isObject(value)) return room;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  let left = room - members.length * MEMBER_CHARS;
  for (let i = 0; i < members.length && left >= 0; i++) {
    const member = members[i];
    if (typeof member === "string") left -= member.length;
    else if (typeof member === "object") left = roomBeside(member, left);
  }
  return left;
}

/** The same bytes as JSON.stringify gives, each piece when it is asked for. */
export async function* encodeLong(value: Members): AsyncGenerator<Uint8Array, void, void> {
  const written = writeObject(value);
  for (let isDone = false; !isDone; ) {
    await ownTurn();
    let piece = "";
    while (piece.length < PIECE_CHARS && !isDone) {
      const next = await written.next();
      isDone = next.done === true;
      piece += next.value ?? "";
    }
    yield Buffer.from(piece);
  }
}

async function* writeObject(value: Members): AsyncGenerator<string, void, void> {
  for (const { start, member } of membersOf(value)) {
    yield start;
    if (isAsyncIterable(member)) yield* writeList(member);
    else yield* joined(piecesOfValue(member));
  }
  yield "}";
}

async function* writeList(items: AsyncIterable<unknown>): AsyncGenerator<string, void, void> {
  let before = "[";
  for await (const item of items) {
    yield before;
    before = ",";
    yield* joined(piecesOfValue(item));
  }
  yield before === "[" ? "[]" : "]";
}

function* piecesOfValue(value: unknown): Generator<string, void, void> {
  if (!hasPieces(value)) yield JSON.stringify(value);
  else if (typeof value === "string") yield* piecesOfString(value);
  else if (Array.isArray(value)) yield* piecesOfArray(value);
  else yield* piecesOfMembers(value as Members);
}

function* piecesOfString(text: string): Generator<string, void, void> {
  yield '"';
  for (const piece of piecesOf(text)) yield JSON.stringify(piece).slice(1, -1);
  yield '"';
}

function* piecesOfArray(items: readonly unknown[]): Generator<string, void, void> {
  let before = "[";
  for (const item of items) {
    yield before;
    before = ",";
    yield* piecesOfValue(item);
  }
  yield "]";
}

function* piecesOfMembers(value: Members): Generator<string, void, void> {
  for (const { start, member } of membersOf(value)) {
    yield start;
    yield* piecesOfValue(member);
  }
  yield "}";
}

/** Each with what stands before it. */
function* membersOf(value: Members): Generator<{ start: string; member: unknown }, void, void> {
  let before = "{";
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    yield { start: `${before}${JSON.stringify(key)}:`, member };
    before = ",";
  }
}

/** Many short pieces as few long ones. */
function* joined(pieces: Iterable<string>): Generator<string, void, void> {
  let waiting = "";
  for (const piece of pieces) {
    waiting += piece;
    if (waiting.length < PIECE_CHARS) continue;
    yield waiting;
    waiting = "";
  }
  if (waiting !== "") yield waiting;
}
