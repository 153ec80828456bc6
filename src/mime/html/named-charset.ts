// The charset that HTML names itself, in a meta element or, XHTML, in its first line.
import { knownEncoding } from "../charset.ts";
import { readAttributes, visitHtml } from "./html-tokens.ts";

/** What is looked at: all of the head of most mails. */
const HEAD_BYTES = 16 * 1024;
/** Of names that nobody knows: finding that out takes a while. */
const MAX_NAMES = 20;
const IN_CONTENT = /charset\s*=\s*["']?([\w-]+)/i;
/** What stands in a meta element counts more, as in browsers. */
const XML_ENCODING = /^\s{0,20}<\?xml\s[^>]{0,200}encoding\s*=\s*["']([\w-]+)/i;

function inMeta(raw: string): string {
  const attributes = readAttributes(raw);
  const content = attributes.get("content") ?? "";
  // Some forget the http-equiv; other content may speak of charsets.
  const isType = /^content-type$/i.test(attributes.get("http-equiv") ?? "") || /^\s*text\//i.test(content);
  return attributes.get("charset") ?? (isType ? (IN_CONTENT.exec(content)?.[1] ?? "") : "");
}

/** Read from the start of the HTML. In UTF-16, which Word names, it could not be read like this. */
export function namedCharset(bytes: Uint8Array): string | null {
  const start = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString("latin1");
  const names: string[] = [];
  const open = (element: string, raw: string) => {
    const name = element === "meta" && names.length < MAX_NAMES ? inMeta(raw) : "";
    if (name !== "") names.push(name);
  };
  visitHtml(start, { open, close: () => {}, text: () => {} });
  names.push(XML_ENCODING.exec(start)?.[1] ?? "");
  const named = names.find((name) => knownEncoding(name) !== null) ?? null;
  return named !== null && knownEncoding(named)?.startsWith("utf-16") ? null : named;
}
