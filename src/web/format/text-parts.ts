// Splits texts at links, search words and direction controls, and extracts the text of HTML.
// Hostile mail must not make a pattern take minutes, so repetitions that may overlap have limits.
import { parseSearch, type SearchNode, type TextTerm } from "../../query/index.ts";

export interface Piece {
  readonly text: string;
  readonly found?: RegExpExecArray;
}

export function cutAt(text: string, matches: Iterable<RegExpExecArray>): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const found of matches) {
    if (found.index > end) pieces.push({ text: text.slice(end, found.index) });
    end = found.index + found[0].length;
    pieces.push({ text: text.slice(found.index, end), found });
  }
  if (end < text.length) pieces.push({ text: text.slice(end) });
  return pieces;
}

/** Punctuation at the end of a URL belongs to the sentence around it. */
const ADDRESS = /\bhttps?:\/\/[^\s<>"'\u0000-\u001f]*[^\s<>"'\u0000-\u001f.,;:!?)]/gi;

export const splitLinks = (text: string): Piece[] => cutAt(text, text.matchAll(ADDRESS));

const SPACED = /^[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{N}]/u;

export const soughtBy = (q: string): readonly TextTerm[] => textsIn(parseSearch(q, 0).root);

function textsIn(node: SearchNode | null): TextTerm[] {
  if (node === null || node.kind === "fact") return [];
  if (node.kind !== "text") return node.of.flatMap(textsIn);
  return node.isNegated || node.phrase.words.length === 0 ? [] : [node];
}

export function markMatches(text: string, sought: readonly TextTerm[], field?: string): Piece[] {
  const patterns = sought
    .filter((term) => term.field === undefined || term.field === field)
    .map(({ phrase: { words } }) => {
      const joined = words.join("[^\\p{L}\\p{N}]*");
      return SPACED.test(joined) ? `(?<![\\p{L}\\p{N}])${joined}` : joined;
    });
  if (patterns.length === 0) return [{ text }];
  return cutAt(text, plain(text).matchAll(new RegExp(patterns.join("|"), "giu")));
}

/** Removes accents but keeps the length, so that positions fit the original text. */
const plain = (text: string) =>
  text.replace(/[\u00c0-\u1fff]/g, (letter) => letter.normalize("NFD")[0] ?? letter);

/** U+202E makes "report\u{202e}fdp.exe" read "reportexe.pdf". LRM, RLM and ALM are harmless and not listed. */
const CONTROLS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069";
const CONTROL_NAMES = ["LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"];
const ANY_CONTROL = new RegExp(`[${CONTROLS}]`, "g");

const nameOf = (control: string) => CONTROL_NAMES[CONTROLS.indexOf(control)] ?? "";

export const splitControls = (text: string): { readonly text: string; readonly control?: string }[] =>
  cutAt(text, text.matchAll(ANY_CONTROL)).map(({ text, found }) =>
    found ? { text: "", control: nameOf(text) } : { text },
  );

/** Replaces controls by their names, as in [RLO], for plain text: hints, labels, window titles. */
export const nameControls = (text: string): string =>
  text.replace(ANY_CONTROL, (control) => `[${nameOf(control)}]`);

const DARK_COLOURS =
  /prefers-color-scheme\s{0,9}:\s{0,9}dark|color-scheme(?:["']?\s{0,9}:|["']\s{1,9}content\s{0,9}=)["'\s]{0,9}(?:(?:light|only)[,\s]{1,9}){0,3}dark/i;

export const knowsDarkMode = (html: string): boolean => DARK_COLOURS.test(html);

/** The words of an HTML body, a line for each block. DOMParser's documents run and load nothing. */
export function htmlText(html: string): string {
  const { body } = new DOMParser().parseFromString(html, "text/html");
  for (const style of body.querySelectorAll("style")) style.remove();
  for (const block of body.querySelectorAll("p, div, br, tr, li, h1, h2, h3, h4")) block.append("\n");
  for (const cell of body.querySelectorAll("td, th")) cell.append(" ");
  return wordsByLine(body.textContent ?? "");
}

export const wordsByLine = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trim().replace(/\s+/g, " "))
    .filter((line) => line !== "")
    .join("\n");
