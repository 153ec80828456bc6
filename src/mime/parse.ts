// The body parts of a message through mailparser, one at a time: nothing but text ever reaches it.
// The only importer of mailparser, itself imported only by the worker: it may take its time there.
import { isAscii } from "node:buffer";
import { type ParsedMail, simpleParser } from "mailparser";
import { type Bodies, type BodyPart, bodyCharset, composeBodies, decodeBody, joinFlowed } from "./bodies.ts";
import { decodeCharset, encodingOf, withoutMark } from "./charset.ts";
import { decodeBytes } from "./transfer-decoding.ts";

/** Beyond this many parts our own decoding, which gives the same, saves the set-up of a parser. */
const MAX_PARSED_PARTS = 50;

const OPTIONS = {
  keepCidLinks: true,
  skipHtmlToText: true,
  skipImageLinks: true,
  skipTextLinks: true,
  skipTextToHtml: true,
};

/**
 * A message of one part, in UTF-8: what is shown of a mail and what is searched are decoded by the same hand.
 * Flowed text is not declared: mailparser would join it without regard to quotes and empty lines. It would also show
 * a byte order mark.
 */
function asMessage(part: BodyPart, bytes: Uint8Array): Buffer {
  const decoded = decodeBytes(part.encoding, bytes);
  const charset = bodyCharset(part, decoded);
  const isUtf8 = encodingOf(charset, decoded) === "utf-8";
  const body = Buffer.from(isUtf8 ? withoutMark(decoded) : decodeCharset(decoded, charset));
  // Encoded where it was, for mailparser treats the end of encoded text differently.
  const isEncoded = part.encoding !== "identity";
  const head =
    `Content-Type: text/${part.kind === "html" ? "html" : "plain"}; charset=utf-8\r\n` +
    `Content-Transfer-Encoding: ${isEncoded ? "base64" : "8bit"}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), isEncoded ? Buffer.from(body.toString("base64")) : body]);
}

/** Charsets in which ASCII stands for itself. */
const ASCII_BASED = /^(?:us-ascii|utf-?8|iso-8859-\d+|windows-125\d)$/i;
const ESCAPE = 0x1b;

/** Plain ASCII, as most text is, reads the same without a parser, whose set-up takes longer than all the rest. */
const isPlain = ({ encoding, charset }: BodyPart, bytes: Uint8Array): boolean =>
  encoding === "identity" &&
  (charset === null || ASCII_BASED.test(charset)) &&
  isAscii(bytes) &&
  !bytes.includes(ESCAPE);

async function parsePart(part: BodyPart, bytes: Uint8Array): Promise<string> {
  // A parser would show what the cut has left of an octet or a character.
  if (part.isCut || isPlain(part, bytes)) return decodeBody(part, bytes);
  try {
    const mail: ParsedMail = await simpleParser(asMessage(part, bytes), OPTIONS);
    return part.kind === "html" ? mail.html || "" : joinFlowed(part, mail.text ?? "");
  } catch {
    return decodeBody(part, bytes);
  }
}

/** `pieces` are the raw bytes of the parts, in the same order. */
export async function parseBodies(
  parts: readonly BodyPart[],
  pieces: readonly Uint8Array[],
): Promise<Bodies> {
  const bodies = [];
  for (const [index, part] of parts.entries()) {
    const bytes = pieces[index] ?? new Uint8Array();
    const content = index < MAX_PARSED_PARTS ? await parsePart(part, bytes) : decodeBody(part, bytes);
    bodies.push({ kind: part.kind, alternative: part.alternative, content });
  }
  return composeBodies(bodies);
}
