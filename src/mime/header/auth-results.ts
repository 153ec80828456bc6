// Reads the results that other servers recorded in a message, and verifies nothing: Authentication-Results (RFC 8601),
// Received-SPF (RFC 7208 section 9.1), DKIM-Signature (RFC 6376) and ARC (RFC 8617).
import type { AuthResults } from "../../model/index.ts";
import { fieldFilter, splitHeaderBlock } from "./fields.ts";
import { decodeHeaderText } from "./text.ts";

type Result = AuthResults["dkim"][number];

const MAX_FIELDS = 1000;
const MAX_PIECES = 1000;

/** Splits at each ";" outside of comments and quoted strings. `bare` is the text without them. */
function splitResults(value: string) {
  const pieces: { readonly text: string; readonly bare: string }[] = [];
  let start = 0;
  let bare = "";
  let depth = 0;
  let isQuoted = false;
  const end = (at: number) => {
    pieces.push({ text: value.slice(start, at).trim(), bare: bare.trim() });
    start = at + 1;
    bare = "";
  };
  for (let at = 0; at < value.length && pieces.length < MAX_PIECES; at++) {
    const char = value[at] as string;
    if (char === "\\" && (isQuoted || depth > 0)) at++;
    else if (isQuoted) isQuoted = char !== '"';
    else if (depth > 0) depth += char === "(" ? 1 : char === ")" ? -1 : 0;
    else if (char === '"') isQuoted = true;
    else if (char === "(") {
      depth = 1;
      bare += " ";
    } else if (char === ";") end(at);
    else bare += char;
  }
  end(value.length);
  return pieces;
}

const METHOD = /^([A-Za-z][\w-]*)\s*(?:\/\s*\d+\s*)?=\s*([A-Za-z][\w-]*)/;

/** The first word that is not in a comment is the result. */
function readReceivedSpf(text: string): Result[] {
  const status = /^[A-Za-z]+/.exec(splitResults(text)[0]?.bare ?? "")?.[0];
  return status === undefined ? [] : [{ status: status.toLowerCase(), details: text }];
}

const FIELDS = fieldFilter(
  "authentication-results",
  "arc-authentication-results",
  "dkim-signature",
  "received-spf",
);

/** `isAll` is false if there are more fields or results than the limits. */
export function readAuth(block: string): { results: AuthResults; isAll: boolean } {
  const results: AuthResults = { dkim: [], spf: [], dmarc: [], arc: [] };
  const fields = splitHeaderBlock(block, FIELDS);
  let isAll = fields.length <= MAX_FIELDS;
  for (const { key, value } of fields.slice(0, MAX_FIELDS)) {
    const text = decodeHeaderText(value);
    if (key === "dkim-signature") results.dkim.push({ status: "info", details: text });
    else if (key === "received-spf") results.spf.push(...readReceivedSpf(text));
    else {
      const pieces = splitResults(text);
      isAll &&= pieces.length <= MAX_PIECES;
      // The authserv-id before the first ";" does not match METHOD.
      for (const { text: details, bare } of pieces) {
        const [, method = "", status] = METHOD.exec(bare) ?? [];
        const list = key === "arc-authentication-results" ? "arc" : method.toLowerCase();
        if (status !== undefined && Object.hasOwn(results, list))
          results[list as keyof AuthResults].push({ status: status.toLowerCase(), details });
      }
    }
  }
  return { results, isAll };
}
