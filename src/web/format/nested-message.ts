// A message that is attached to another: its head, its text, and the names of its attachments. Enough to look into it;
// for everything else it can be downloaded.
import { htmlText } from "./html-traits.ts";
import { type MimePart, mimeTree } from "./mime-tree.ts";

export interface NestedMessage {
  readonly head: readonly (readonly [name: string, value: string])[];
  readonly text: string;
  readonly attachments: readonly string[];
}

const HEAD = ["From", "To", "Cc", "Subject", "Date"];

export function readNested(source: string): NestedMessage {
  const lines = source.split(/\r?\n/);
  const leaves = leavesOf(mimeTree(source));
  const readable = leaves.find(isText("text/plain")) ?? leaves.find(isText("text/html"));
  const { header } = partAt(lines, 0);
  return {
    head: HEAD.flatMap((name) => {
      const value = fieldOf(header, name);
      return value === "" ? [] : [[name, decodeWords(value)] as const];
    }),
    text: readable ? textOf(lines, readable, leaves) : "",
    attachments: leaves.filter(({ name }) => name !== "").map(({ name }) => decodeWords(name)),
  };
}

const isText = (type: string) => (part: MimePart) => part.type === type && part.name === "";

const leavesOf = (part: MimePart): MimePart[] =>
  part.children.length === 0 ? [part] : part.children.flatMap(leavesOf);

const fieldOf = (header: string, name: string) =>
  new RegExp(`^${name}:(.*)$`, "im").exec(header)?.[1]?.trim() ?? "";

function partAt(lines: readonly string[], line: number): { header: string; start: number } {
  const first = line === 0 ? 0 : line + 1;
  const blank = lines.indexOf("", first);
  const end = blank === -1 ? lines.length : blank;
  return {
    header: lines
      .slice(first, end)
      .join("\n")
      .replace(/\n[ \t]+/g, " "),
    start: end + 1,
  };
}

function textOf(lines: readonly string[], part: MimePart, leaves: readonly MimePart[]): string {
  const { header, start } = partAt(lines, part.line);
  const next = leaves[leaves.indexOf(part) + 1]?.line ?? lines.length;
  const body = lines
    .slice(start, next)
    .filter((line, at, all) => !(line.startsWith("--") && at >= all.length - 2));
  const charset = /charset\s*=\s*"?([\w-]+)/i.exec(fieldOf(header, "Content-Type"))?.[1] ?? "utf-8";
  const text = decode(
    body.join("\n"),
    part.encoding === "base64" ? "B" : part.encoding === "quoted-printable" ? "Q" : "",
    charset,
  );
  if (part.type !== "text/html") return text;
  return htmlText(text);
}

/** RFC 2047: `=?utf-8?Q?caf=C3=A9?=`. */
const decodeWords = (text: string): string =>
  text
    .replace(/\?=\s+=\?/g, "?==?")
    .replace(
      /=\?([\w-]+)(?:\*\w+)?\?([BQ])\?([^?]*)\?=/gi,
      (_, charset: string, kind: string, word: string) =>
        decode(kind.toUpperCase() === "Q" ? word.replaceAll("_", " ") : word, kind.toUpperCase(), charset),
    );

function decode(text: string, kind: string, charset: string): string {
  if (kind === "") return text;
  try {
    const binary =
      kind === "B"
        ? atob(text.replace(/[^A-Za-z0-9+/]/g, ""))
        : text
            .replace(/=\r?\n/g, "")
            .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    return new TextDecoder(charset).decode(Uint8Array.from(binary, (letter) => letter.charCodeAt(0)));
  } catch {
    return text;
  }
}
