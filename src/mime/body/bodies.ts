// The text and HTML of a message, composed from its body parts in order. A part without a counterpart in the other
// format is in both. If no part is HTML, the message has no HTML.
import { isUtf8 } from "node:buffer";
import { escapeUTF8 as escapeHtml } from "entities";
import { decodeCharset, knownEncoding, saysNothing, uncut } from "../decode/charset.ts";
import { decodeBytes } from "../decode/transfer.ts";
import { deriveText } from "../html/text.ts";
import { type Attributes, visitHtml } from "../html/tokens.ts";
import { leavesOf, type MimePart, type MimeStructure } from "../structure.ts";

const MAX_BODY_PARTS = 500;

/** Everything needed to decode a body part, as plain data that a worker can receive. */
export interface BodyPart extends Pick<MimePart, "alternative" | "encoding" | "charset" | "start" | "end"> {
  readonly kind: "text" | "html";
  readonly flowed: "no" | "yes" | "delete-space";
  readonly isCut: boolean;
}

export interface DecodedBody extends Pick<BodyPart, "kind" | "alternative"> {
  readonly content: string;
}

export interface Bodies {
  readonly text_body: string;
  readonly html_body: string;
  /** True if some of the text was made from the HTML. The HTML then covers all of the text. */
  readonly text_is_derived: boolean;
  /** Blank text parts do not count. */
  readonly has_text_part: boolean;
}

function flowedOf({ role, params }: MimePart): BodyPart["flowed"] {
  if (role !== "text" || params.get("format")?.trim().toLowerCase() !== "flowed") return "no";
  return params.get("delsp")?.trim().toLowerCase() === "yes" ? "delete-space" : "yes";
}

/** `isAll` is false if there are more parts than the limit. */
export function bodyParts(structure: MimeStructure): { parts: BodyPart[]; isAll: boolean } {
  const parts = leavesOf(structure).flatMap((leaf): BodyPart[] => {
    const { role, alternative, encoding, charset, start, end } = leaf;
    if ((role !== "text" && role !== "html") || end === start) return [];
    return [{ kind: role, alternative, encoding, charset, flowed: flowedOf(leaf), start, end, isCut: false }];
  });
  return { parts: parts.slice(0, MAX_BODY_PARTS), isAll: parts.length <= MAX_BODY_PARTS };
}

/** A charset name is searched for in this many bytes, which hold the head of most HTML mails. */
const HEAD_BYTES = 16 * 1024;
/** Looking up an unknown charset is slow, so only this many names in an HTML part are tried. */
const MAX_NAMES = 20;
const IN_CONTENT = /charset\s*=\s*["']?([\w-]+)/i;
/** As in browsers, a meta element takes precedence over the XML declaration. */
const XML_ENCODING = /^\s{0,20}<\?xml\s[^>]{0,200}encoding\s*=\s*["']([\w-]+)/i;

function inMeta(attributes: Attributes): string {
  const content = attributes.get("content") ?? "";
  // Some senders forget the http-equiv.
  const isType = /^content-type$/i.test(attributes.get("http-equiv") ?? "") || /^\s*text\//i.test(content);
  return attributes.get("charset") ?? (isType ? (IN_CONTENT.exec(content)?.[1] ?? "") : "");
}

/**
 * The charset that the HTML names, or null. UTF-16 is ignored: Word names it in HTML of other charsets, and in real
 * UTF-16 the name could not be read here.
 */
function namedCharset(bytes: Uint8Array): string | null {
  const start = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString("latin1");
  const names: string[] = [];
  const open = (element: string, attributes: Attributes) => {
    const name = element === "meta" && names.length < MAX_NAMES ? inMeta(attributes) : "";
    if (name !== "") names.push(name);
  };
  visitHtml(start, { open, close: () => {}, text: () => {} });
  names.push(XML_ENCODING.exec(start)?.[1] ?? "");
  const named = names.find((name) => knownEncoding(name) !== null) ?? null;
  return named !== null && knownEncoding(named)?.startsWith("utf-16") ? null : named;
}

/** A cut may leave half of a line end or of a character. */
const CUT_END = /[\r\ufffd]$/;

const SIGNATURE = "-- ";

/** `text` is the line without quote marks and stuffed space (RFC 3676). `shown` keeps the marks. */
function readLine(written: string) {
  let depth = 0;
  while (written[depth] === ">") depth++;
  const text = written.slice(written[depth] === " " ? depth + 1 : depth);
  return { depth, text, shown: depth > 0 ? written : text };
}

type Line = ReturnType<typeof readLine>;

const isFlowed = ({ text }: Line) => text.endsWith(" ") && text !== SIGNATURE;

const continues = (line: Line, before: Line) =>
  isFlowed(before) && line.depth === before.depth && line.text !== "" && line.text !== SIGNATURE;

/** RFC 3676: lines that end in a space go on in the next line of the same quote depth. */
function decodeFlowed(text: string, deleteSpace: boolean): string {
  const out: string[] = [];
  let before: Line | null = null;
  for (const written of text.split(/\r?\n/)) {
    const line = readLine(written);
    if (before !== null && continues(line, before)) {
      if (deleteSpace) out.push(out.pop()?.slice(0, -1) ?? "");
      out.push(line.text);
    } else out.push(before === null ? "" : "\n", line.shown);
    before = line;
  }
  return out.join("");
}

export function decodeBody(part: BodyPart, bytes: Uint8Array): string {
  const text = decodeWords(part, bytes);
  const lines = text.includes("\r") ? text.replaceAll("\r\n", "\n") : text;
  return part.flowed === "no" ? lines : decodeFlowed(lines, part.flowed === "delete-space");
}

/** The text with its line ends as they are, which is enough for the text index. */
export function decodeWords({ kind, charset, encoding, isCut }: BodyPart, bytes: Uint8Array): string {
  const encoded = decodeBytes(encoding, bytes, isCut);
  const decoded = isCut ? uncut(encoded) : encoded;
  // HTML may name its charset if its part does not.
  const isNamedInside = kind === "html" && saysNothing(charset) && !isUtf8(decoded);
  const text = decodeCharset(decoded, isNamedInside ? namedCharset(decoded) : charset);
  return isCut ? text.replace(CUT_END, "") : text;
}

const textToHtml = (text: string) =>
  `<p>${escapeHtml(text.trim())
    .replace(/(?<![ \t])[ \t]+\n/g, "\n")
    .replace(/\n\n+/g, "</p><p>")
    .replace(/\n/g, "<br/>")}</p>`;

const isBlank = (content: string) => !/\S/.test(content);

const alternativesOf = (bodies: readonly DecodedBody[]): ReadonlySet<number | null> =>
  new Set(bodies.map(({ alternative }) => alternative).filter((alternative) => alternative !== null));

const COMPARED_CHARS = 20_000;
const COMPARED_HTML_CHARS = 200_000;
const SAME_WORDS = 0.7;

const wordsOf = (text: string) =>
  text
    .slice(0, COMPARED_CHARS)
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Some senders send the text and HTML of one body as unrelated parts, which share most words. */
function areVersions([text, page, ...others]: readonly DecodedBody[]): boolean {
  if (text?.kind !== "text" || page?.kind !== "html" || others.length > 0) return false;
  if (text.alternative !== null) return false;
  const said = new Set(wordsOf(deriveText(page.content.slice(0, COMPARED_HTML_CHARS))));
  const words = wordsOf(text.content);
  return words.length > 0 && words.filter((word) => said.has(word)).length >= SAME_WORDS * words.length;
}

export function composeBodies(decoded: readonly DecodedBody[]): Bodies {
  const bodies = areVersions(decoded) ? decoded.map((body) => ({ ...body, alternative: 0 })) : decoded;
  const texts = bodies.filter(({ kind, content }) => kind === "text" && !isBlank(content));
  const pages = bodies.filter(({ kind, content }) => kind === "html" && content !== "");
  const hasHtml = pages.length > 0;
  const saidInText = alternativesOf(texts);
  const saidInHtml = alternativesOf(pages);
  const text: string[] = [];
  const html: string[] = [];
  let text_is_derived = false;
  for (const { kind, alternative, content } of bodies) {
    // Some senders add a blank text to every HTML mail.
    if (content === "" || (kind === "text" && hasHtml && isBlank(content))) continue;
    if (kind === "text") {
      text.push(content);
      if (hasHtml && !saidInHtml.has(alternative)) html.push(textToHtml(content));
    } else {
      html.push(content);
      if (saidInText.has(alternative)) continue;
      text.push(deriveText(content));
      text_is_derived = true;
    }
  }
  return {
    text_body: text.join("\n"),
    html_body: html.join("<br/>\n"),
    text_is_derived,
    has_text_part: texts.length > 0,
  };
}
