// The preview of a message in a list: the From header, the first words, the test run.
import type { MessagePreview } from "../../model/index.ts";
import { wholeChars } from "../decode/charset.ts";
import { readAddresses } from "../header/addresses.ts";
import { fieldFilter, readHeaderBlock, splitHeaderBlock } from "../header/fields.ts";
import { decodeHeaderText } from "../header/text.ts";
import { htmlToText, withoutFiller } from "../html/text.ts";
import { startStructureScan } from "../structure.ts";
import { bodyParts, decodeBody } from "./bodies.ts";

const SNIPPET_CHARS = 140;
/** Octets of each part that are read for the snippet: newsletters begin with kilobytes of style. */
const SNIPPET_BYTES = 128 * 1024;
const SNIPPET_PARTS = 50;
const RUN_CHARS = 100;

const FIELDS = fieldFilter("from", "x-mailkeep-run");

/** Cuts at the end of a word if one is near the limit, otherwise between two characters. */
function cut(text: string): string {
  if (text.length <= SNIPPET_CHARS) return text;
  const space = text.lastIndexOf(" ", SNIPPET_CHARS);
  const end = space > SNIPPET_CHARS - 30 ? space : SNIPPET_CHARS;
  return `${wholeChars(text.slice(0, end))}…`;
}

function readSnippet(raw: Uint8Array): string {
  const scan = startStructureScan({ measures: false, maxParts: SNIPPET_PARTS });
  scan.push(raw.subarray(0, SNIPPET_BYTES * 2));
  const { parts } = bodyParts(scan.finish());
  const texts = parts.toSorted((left, right) => Number(left.kind === "html") - Number(right.kind === "html"));
  for (const part of texts) {
    const content = decodeBody(
      part,
      raw.subarray(part.start, Math.min(part.end, part.start + SNIPPET_BYTES)),
    );
    const text =
      part.kind === "html" ? htmlToText(content, { links: false, maxChars: SNIPPET_CHARS * 4 }) : content;
    const words = withoutFiller(text.slice(0, SNIPPET_CHARS * 10))
      .replace(/\s+/g, " ")
      .trim();
    if (words !== "") return cut(words);
  }
  return "";
}

/** `raw` may be the first 256 KiB of a message, which are enough for nearly every preview. */
export function readPreview(raw: Uint8Array): MessagePreview {
  const fields = splitHeaderBlock(readHeaderBlock(raw).block, FIELDS);
  const firstOf = (name: string) => fields.find(({ key }) => key === name)?.value ?? "";
  const [sender] = readAddresses(firstOf("from"), 1);
  return {
    from_name: sender?.name ?? "",
    from_address: sender?.address ?? "",
    snippet: readSnippet(raw),
    run: decodeHeaderText(firstOf("x-mailkeep-run"), RUN_CHARS).slice(0, RUN_CHARS),
  };
}
