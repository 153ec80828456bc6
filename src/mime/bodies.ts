// The text and HTML that a message shows, composed from its body parts the way mailparser does it:
// all of them in order; text beside HTML also goes into the HTML, and the other way round, unless
// they are alternatives of each other.
import { isUtf8 } from "node:buffer";
import { decodeCharset, saysNothing, uncut } from "./charset.ts";
import { decodeFlowed } from "./flowed.ts";
import { escapeHtml } from "./html/html-entities.ts";
import { deriveText } from "./html/html-text.ts";
import { namedCharset } from "./html/named-charset.ts";
import { MAX_BODY_PARTS } from "./limits.ts";
import type { TransferEncoding } from "./part-headers.ts";
import { leavesOf, type MimePart, type MimeStructure } from "./structure.ts";
import { decodeBytes, decodeStart } from "./transfer-decoding.ts";

/** What decoding a body part takes; plain data for the worker. */
export interface BodyPart {
  readonly kind: "text" | "html";
  readonly alternative: number | null;
  readonly encoding: TransferEncoding;
  readonly charset: string | null;
  readonly flowed: "no" | "yes" | "delete-space";
  readonly start: number;
  readonly end: number;
  /** More of it follows behind `end`. */
  readonly isCut: boolean;
}

export interface DecodedBody {
  readonly kind: "text" | "html";
  readonly alternative: number | null;
  readonly content: string;
}

export interface Bodies {
  readonly text_body: string;
  readonly html_body: string;
  /** Some of the text was made from the HTML, which then has all of it. */
  readonly text_is_derived: boolean;
  /** The sender wrote some of the text. */
  readonly has_text_part: boolean;
}

function flowedOf({ role, params }: MimePart): BodyPart["flowed"] {
  if (role !== "text" || params.get("format")?.trim().toLowerCase() !== "flowed") return "no";
  return params.get("delsp")?.trim().toLowerCase() === "yes" ? "delete-space" : "yes";
}

type BodyLeaf = MimePart & { readonly role: BodyPart["kind"] };

function bodyLeaves(structure: MimeStructure): BodyLeaf[] {
  return leavesOf(structure).filter(
    (leaf): leaf is BodyLeaf => (leaf.role === "text" || leaf.role === "html") && leaf.end > leaf.start,
  );
}

export function bodyParts(structure: MimeStructure): BodyPart[] {
  return bodyLeaves(structure)
    .slice(0, MAX_BODY_PARTS)
    .map((leaf) => {
      const { role: kind, alternative, encoding, charset, start, end } = leaf;
      return { kind, alternative, encoding, charset, flowed: flowedOf(leaf), start, end, isCut: false };
    });
}

/** Whether `bodyParts` gives all that there are. */
export const hasAllBodies = (structure: MimeStructure): boolean =>
  bodyLeaves(structure).length <= MAX_BODY_PARTS;

/** HTML whose part names no charset that helps may name one itself. Takes transfer-decoded bytes. */
export function bodyCharset({ kind, charset }: BodyPart, bytes: Uint8Array): string | null {
  if (!saysNothing(charset) || kind !== "html" || isUtf8(bytes)) return charset;
  return namedCharset(bytes);
}

/** Joins the lines of decoded text that its part declares to be flowed. */
export function joinFlowed({ flowed }: BodyPart, text: string): string {
  return flowed === "no" ? text : decodeFlowed(text, flowed === "delete-space");
}

/** What a cut may leave of a line end, or of a character. */
const CUT_END = /[\r\ufffd]$/;

/** The text of one body part with its lines as they were sent. */
export function decodeLines(part: BodyPart, bytes: Uint8Array): string {
  const decoded = part.isCut ? uncut(decodeStart(part.encoding, bytes)) : decodeBytes(part.encoding, bytes);
  const text = decodeCharset(decoded, bodyCharset(part, decoded));
  return part.isCut ? text.replace(CUT_END, "") : text;
}

/** Our own decoding of one body part, for where mailparser is not at hand. */
export function decodeBody(part: BodyPart, bytes: Uint8Array): string {
  const text = decodeLines(part, bytes);
  return joinFlowed(part, text.includes("\r") ? text.replace(/\r\n/g, "\n") : text);
}

const textToHtml = (text: string) =>
  `<p>${escapeHtml(text.trim())
    .replace(/(?<![ \t])[ \t]+\n/g, "\n")
    .replace(/\n\n+/g, "</p><p>")
    .replace(/\n/g, "<br/>")}</p>`;

const isBlank = (content: string) => !/\S/.test(content);

/** What is outside of all is no alternative of anything. */
const alternativesOf = (bodies: readonly DecodedBody[]): ReadonlySet<number | null> =>
  new Set(bodies.map(({ alternative }) => alternative).filter((alternative) => alternative !== null));

export function composeBodies(bodies: readonly DecodedBody[]): Bodies {
  const texts = bodies.filter(({ kind, content }) => kind === "text" && !isBlank(content));
  const pages = bodies.filter(({ kind, content }) => kind === "html" && content !== "");
  const hasHtml = pages.length > 0;
  const saidInText = alternativesOf(texts);
  const saidInHtml = alternativesOf(pages);
  const text: string[] = [];
  const html: string[] = [];
  let text_is_derived = false;
  for (const { kind, alternative, content } of bodies) {
    // A blank text beside HTML is as good as none: some senders add one to every mail.
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
