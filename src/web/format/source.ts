// Cuts the raw source of a message into parts for colouring, and builds the tree of its MIME parts.
import { decodeWords } from "postal-mime";

export interface SourcePart {
  readonly kind: "field" | "folded" | "boundary" | "encoded" | "plain";
  readonly text: string;
  /** The line in the source, from 0. Undefined for a body, and for the empty line before it. */
  readonly line?: number;
}

export interface MimePart {
  readonly type: string;
  readonly encoding: string;
  readonly name: string;
  /** Line of the source where the part begins: its boundary, or the first line of a message. */
  readonly line: number;
  size: number;
  readonly children: MimePart[];
}

interface Open {
  readonly part: MimePart;
  readonly boundary: string | undefined;
}

/** Parts below this depth get no children: a message inside such a part becomes its sibling. */
const MAX_DEPTH = 50;

export function readSource(source: string): { readonly parts: SourcePart[]; readonly tree: MimePart } {
  const parts: SourcePart[] = [];
  const open: Open[] = [];
  let root: MimePart | undefined;
  let state: "header" | "body" | "encoded" = "header";
  let header = "";
  let start = 0;
  let run: string[] = [];

  const endRun = () => {
    if (run.length > 0) parts.push({ kind: state === "encoded" ? "encoded" : "plain", text: run.join("\n") });
    run = [];
  };
  const endHeader = (next: number) => {
    const read = readHeader(header, start);
    open.at(-1)?.part.children.push(read.part);
    root ??= read.part;
    if (open.length < MAX_DEPTH) open.push(read);
    const { type, encoding } = read.part;
    // An attached message begins with a header of its own.
    state = type === "message/rfc822" ? "header" : encoding === "base64" ? "encoded" : "body";
    header = "";
    start = next;
  };

  for (const [number, line] of source.split(/\r?\n/).entries()) {
    const level = line.startsWith("--") ? open.findLastIndex((one) => isDelimiter(line, one)) : -1;
    if (level !== -1) {
      endRun();
      parts.push({ kind: "boundary", text: line, line: number });
      state = line.trimEnd() === `--${open[level]?.boundary}--` ? "body" : "header";
      open.length = level + 1;
      start = number;
      header = "";
    } else if (state !== "header") {
      run.push(line);
      for (const { part } of open) part.size += line.length + 2;
    } else if (line === "") {
      parts.push({ kind: "plain", text: "" });
      endHeader(number + 1);
    } else {
      header += `${line}\n`;
      parts.push({ kind: /^[ \t]/.test(line) ? "folded" : "field", text: line, line: number });
    }
  }
  endRun();
  if (header !== "") endHeader(0);
  return { parts, tree: root ?? readHeader("", 0).part };
}

function isDelimiter(line: string, { boundary }: Open): boolean {
  const text = line.trimEnd();
  return boundary !== undefined && (text === `--${boundary}` || text === `--${boundary}--`);
}

function readHeader(folded: string, line: number): Open {
  const header = folded.replace(/\n[ \t]+/g, " ");
  const field = (name: string) => new RegExp(`^${name}:(.*)$`, "im").exec(header)?.[1]?.trim() ?? "";
  const type = field("content-type");
  const parameter = (name: string, of = type) => {
    const found = new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^\\s;]+))`, "i").exec(of);
    return found?.[1] ?? found?.[2];
  };
  const part: MimePart = {
    type: (type.split(";")[0]?.trim() || "text/plain").toLowerCase(),
    encoding: field("content-transfer-encoding").toLowerCase(),
    name: decodeWords(parameter("filename", field("content-disposition")) ?? parameter("name") ?? ""),
    line,
    size: 0,
    children: [],
  };
  return { part, boundary: parameter("boundary") };
}

export const chunksOf = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size));
