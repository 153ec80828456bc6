// The parts of a message as a tree, read from its raw source: what is in it, how it is encoded, where it begins.
// Pure; one pass over the lines.
export interface MimePart {
  readonly type: string;
  readonly encoding: string;
  readonly name: string;
  /** Line of the source where the part begins: its boundary, or the first line of the message. */
  readonly line: number;
  /** Of the body, as it is encoded. */
  size: number;
  readonly children: MimePart[];
}

interface Open {
  readonly part: MimePart;
  readonly boundary: string | undefined;
}

/** Deeper parts are listed beside their parent. */
const MAX_DEPTH = 50;

export function mimeTree(source: string): MimePart {
  const lines = source.split(/\r?\n/);
  const [root, start] = readPart(lines, 0, 0);
  const open: Open[] = [root];
  // An attached message begins with a header of its own.
  let at = enclosed(lines, start, open);
  for (; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const level = line.startsWith("--")
      ? open.findLastIndex(({ boundary }) => isDelimiter(line, boundary))
      : -1;
    if (level === -1) {
      for (const { part } of open) part.size += line.length + 2;
      continue;
    }
    open.length = level + 1;
    if (line.trimEnd() === `--${open[level]?.boundary}--`) continue;
    const [next, body] = readPart(lines, at + 1, at);
    open[level]?.part.children.push(next.part);
    if (open.length < MAX_DEPTH) open.push(next);
    at = enclosed(lines, body, open) - 1;
  }
  return root.part;
}

function isDelimiter(line: string, boundary: string | undefined): boolean {
  const text = line.trimEnd();
  return boundary !== undefined && (text === `--${boundary}` || text === `--${boundary}--`);
}

/** Reads the header that begins at `start`; answers the part and the line where its body begins. */
function readPart(lines: readonly string[], start: number, line: number): [Open, number] {
  let end = start;
  while (end < lines.length && lines[end] !== "") end++;
  const header = lines
    .slice(start, end)
    .join("\n")
    .replace(/\n[ \t]+/g, " ");
  const field = (name: string) => new RegExp(`^${name}:(.*)$`, "im").exec(header)?.[1]?.trim() ?? "";
  const type = field("content-type");
  const parameter = (name: string, of = type) => {
    const found = new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^\\s;]+))`, "i").exec(of);
    return found?.[1] ?? found?.[2];
  };
  const part: MimePart = {
    type: (type.split(";")[0]?.trim() || "text/plain").toLowerCase(),
    encoding: field("content-transfer-encoding").toLowerCase(),
    name: parameter("filename", field("content-disposition")) ?? parameter("name") ?? "",
    line,
    size: 0,
    children: [],
  };
  return [{ part, boundary: parameter("boundary") }, end + 1];
}

function enclosed(lines: readonly string[], start: number, open: Open[]): number {
  const last = open.at(-1);
  if (last?.part.type !== "message/rfc822" || open.length >= MAX_DEPTH) return start;
  const [inner, body] = readPart(lines, start, start);
  last.part.children.push(inner.part);
  open.push(inner);
  return enclosed(lines, body, open);
}
