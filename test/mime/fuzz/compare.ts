// Checks rules that hold for any bytes, and compares what Mailkeep and mailparser read in a mail.
import { simpleParser } from "mailparser";
import {
  listAttachments,
  type MimePart,
  type MimeStructure,
  readStructure,
  searchText,
  startScan,
  startStructureScan,
} from "../../../src/mime/index.ts";
import type { Random } from "../../support/random.ts";

const MESSAGE_ID = "01JCMZ5T0GQ3V4W5X6Y7Z8A9BC";
const MAILPARSER_MAX_NODES = 1000;

function partsOf(structure: MimeStructure): MimePart[] {
  const visit = (part: MimePart): MimePart[] => [part, ...part.children.flatMap(visit)];
  return visit(structure.root);
}

/** The raw value of the first field with this name, because mailparser uses the first. */
const firstField = (part: MimePart, key: string) => part.fields.find((field) => field.key === key)?.value;

function headerEnded(raw: Buffer, { start }: MimePart): boolean {
  return /(?:^|\n)\r?\n$/.test(raw.toString("latin1", Math.max(0, start - 3), start));
}

/** Why we read this mail differently on purpose, or null. In a reason, "it" is mailparser. */
export function wantedDifference(raw: Buffer, structure: MimeStructure): string | null {
  const parts = partsOf(structure);
  const text = raw.toString("latin1");
  if (parts.length >= MAILPARSER_MAX_NODES) return "mailparser refuses more than 1000 parts";
  if (/^--[^\n]*[ \t]\r?$/m.test(text))
    return "it allows no white space after a delimiter (RFC 2046 section 5.1.1)";
  if (/\r--/.test(text)) return "it passes over a carriage return before a delimiter";
  if (/^--[^\n]*\r[^\n]/m.test(text)) return "it takes a carriage return for the end of a delimiter";
  for (const part of parts) {
    const boundary = part.params.get("boundary") ?? "";
    if (boundary !== boundary.trim())
      return "it keeps white space at the end of a boundary (RFC 2046 section 5.1.1)";
    const type = firstField(part, "content-type");
    const written = type?.split(";", 1)[0]?.trim().toLowerCase();
    if (part.index > 0 && !part.closed && part.role === "multipart") {
      return "it does not see the delimiter of an outer multipart inside an unclosed one";
    }
    const hasContent = part.start < raw.length;
    if ((part.index > 0 || hasContent) && !headerEnded(raw, part))
      return "it drops what follows a header that no blank line ends";
    if (part.params.has("boundary") && !part.type.startsWith("multipart/")) {
      return "it splits parts that are not multiparts";
    }
    if (type !== undefined && written !== part.type)
      return "it keeps a type with a comment, or an invalid type, as it is written";
    if (firstField(part, "content-disposition")?.includes("(")) return "it knows no comments";
    if (type === undefined && part.filename !== "") return "it guesses a missing type from the file name";
    if (type === undefined && part.type === "message/rfc822")
      return "it does not know the default of a digest";
    if (part.type === "message/rfc822" && part.disposition === "inline") return "it opens inline messages";
  }
  return null;
}

/** Types that mailparser treats as body. It takes a part without a type for text/plain. */
const MAILPARSER_BODY_TYPES = ["text/plain", "text/html", "message/delivery-status"];

function isFileToMailparser(part: MimePart): boolean {
  const type = firstField(part, "content-type") === undefined ? "text/plain" : part.type;
  const isAttached = part.disposition === "attachment" || part.disposition === "unknown";
  return !MAILPARSER_BODY_TYPES.includes(type) || isAttached;
}

/** Why a part is a file for only one of the two parsers; null if there is no good reason. */
function reasonForDifference({ role, type, disposition, filename, contentId }: MimePart): string | null {
  if (disposition === "unknown") return "a first text with an unknown disposition is the body";
  if (role === "text")
    return type.startsWith("text/") ? "other text reads as plain text (RFC 2046 section 4.1.4)" : null;
  if (type === "message/delivery-status") return "a delivery status is for programs";
  if (filename !== "") return "text with a name is a file";
  return contentId === "" ? null : "text that others point to is theirs, not the body's";
}

/** Both parsers must agree which leaves are files, except for differences with a reason. */
function compareFiles(structure: MimeStructure, expected: number): void {
  const leaves = partsOf(structure).filter(
    ({ children, type }) => children.length === 0 && !type.startsWith("multipart/"),
  );
  for (const part of leaves) {
    const isFile = part.role === "attachment";
    if (isFile === isFileToMailparser(part) || reasonForDifference(part) !== null) continue;
    throw new Error(`part ${part.index}, ${part.type}, is ${part.role}, but not for mailparser`);
  }
  const files = leaves.filter(isFileToMailparser).length;
  if (files !== expected) throw new Error(`${files} attachments, mailparser has ${expected}`);
}

const UNREADABLE_WORD = /=\? | \?[QqBb]\?|=\?[\d-]+\?|\?[QqBb]\?[^?\s]*\?(?!=(?:\s|$|=\?))/;

/**
 * Whether mailparser can read the octets of a subject. It removes 0xA0 at the ends, reads only
 * UTF-8, allows no space or question mark in an encoded word, and accepts a number as a charset.
 */
function isReadableSubject(structure: MimeStructure): boolean {
  const octets =
    structure.root.fields.findLast(({ key, value }) => key === "subject" && value !== "")?.value ?? "";
  if (octets.trim() !== octets || UNREADABLE_WORD.test(octets)) return false;
  return !Buffer.from(octets, "latin1").toString("utf8").includes("\ufffd");
}

/**
 * Throws if the scan depends on how the mail is cut, or disagrees with the list of attachments.
 * Returns the subject.
 */
function scanInPieces(random: Random, raw: Buffer): string {
  const facts = startScan();
  const tree = startStructureScan();
  for (let at = 0; at < raw.length; ) {
    const size = 1 + random.below(random.pick([2, 20, 500]));
    facts.push(raw.subarray(at, at + size));
    tree.push(raw.subarray(at, at + size));
    at += size;
  }
  const whole = startScan();
  whole.push(raw);
  const expected = whole.finish();
  if (!Bun.deepEquals(facts.finish(), expected)) throw new Error("the scan depends on the chunks");
  const structure = readStructure(raw);
  if (!Bun.deepEquals(tree.finish(), structure)) throw new Error("the tree depends on the chunks");
  const attachments = listAttachments(MESSAGE_ID, structure);
  if (expected.has_attachments !== attachments.length > 0)
    throw new Error("scan and list disagree on attachments");
  return expected.subject;
}

/** Throws if a rule is broken. Returns why we read the mail differently on purpose, or null. */
export async function checkMail(random: Random, raw: Buffer): Promise<string | null> {
  const subject = scanInPieces(random, raw);
  const structure = readStructure(raw);
  searchText(raw);
  const difference = wantedDifference(raw, structure);
  if (difference) return difference;
  const parsed = await simpleParser(raw, {
    skipTextToHtml: true,
    skipHtmlToText: true,
    skipImageLinks: true,
  });
  compareFiles(structure, parsed.attachments.length);
  if (!isReadableSubject(structure))
    return "mailparser reads raw octets as UTF-8 only, and words only without spaces";
  const expected = parsed.subject ?? "";
  if (expected.includes("\ufffd")) return "mailparser never doubts a charset";
  if (/\?[QqBb]\?/.test(expected)) return "it joins words that it cannot decode";
  if (subject !== expected)
    throw new Error(`subject ${JSON.stringify(subject)}, mailparser has ${JSON.stringify(expected)}`);
  return null;
}
