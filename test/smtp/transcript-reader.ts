// Reads the Markdown transcripts: the client's bytes, and the session's replies and effects. See
// transcripts/README.md for the notation.

export type Outcome = "ok" | "failed" | "full";

/** One turn: bytes from the client, then everything the session does in answer. */
export interface Turn {
  readonly input: Buffer;
  readonly expected: string[];
}

export interface Transcript {
  readonly name: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Turns between handshakes. TLS is started before each segment except the first. */
  readonly segments: Turn[][];
}

export function parseTranscripts(markdown: string): Transcript[] {
  const transcripts: Transcript[] = [];
  let heading = "";
  let lines: string[] | null = null;
  let settings: Record<string, string> = {};
  for (const line of markdown.split("\n")) {
    if (lines === null && line.startsWith("## ")) heading = line.slice(3);
    if (lines === null && line.startsWith("```smtp")) {
      lines = [];
      settings = parseSettings(line.slice("```smtp".length));
    } else if (lines !== null && line === "```") {
      transcripts.push({ name: heading, settings, segments: parseSegments(lines) });
      lines = null;
    } else if (lines !== null && line !== "") lines.push(line);
  }
  return transcripts;
}

function parseSettings(text: string): Record<string, string> {
  const words = text.split(" ").filter((word) => word !== "");
  return Object.fromEntries(words.map((word) => word.split("=") as [string, string]));
}

function parseSegments(lines: readonly string[]): Turn[][] {
  const segments: Turn[][] = [[{ input: Buffer.alloc(0), expected: [] }]];
  for (const line of lines) {
    const segment = segments.at(-1) ?? [];
    const text = line.slice(3);
    switch (line.slice(0, 2)) {
      case "C:":
        segment.push({ input: unescapeText(`${text}\\r\\n`), expected: [] });
        break;
      case "C+":
        segment.push({ input: unescapeText(text), expected: [] });
        break;
      case "S:":
      case "K:":
      case "A:":
      case "X:":
        segment.at(-1)?.expected.push(line);
        break;
      case "T:":
        segments.push([{ input: Buffer.alloc(0), expected: [] }]);
        break;
      default:
        throw new Error(`a transcript line begins with C:, C+, S:, K:, A:, X: or T:, not: ${line}`);
    }
  }
  return segments;
}

const ESCAPES: Readonly<Record<string, string>> = { r: "\r", n: "\n", t: "\t", 0: "\0", "\\": "\\" };

/** Decodes `\r`, `\n`, `\t`, `\0`, `\\` and `\xff`, and repeats the text of `{text*3}`. */
function unescapeText(text: string): Buffer {
  const repeated = text.replace(/\{(.*?)\*(\d+)\}/g, (_, part: string, times: string) =>
    part.repeat(Number(times)),
  );
  const pieces = repeated.split(/(\\x[\da-f]{2}|\\[rnt0\\])/);
  return Buffer.concat(pieces.map(unescapePiece));
}

function unescapePiece(piece: string): Buffer {
  if (piece.startsWith("\\x")) return Buffer.from(piece.slice(2), "hex");
  const escaped = piece.startsWith("\\") ? ESCAPES[piece.slice(1)] : undefined;
  return Buffer.from(escaped ?? piece);
}

/** A raw message, escaped as in a transcript. */
export function escapeRaw(raw: Buffer): string {
  return raw
    .toString("latin1")
    .replaceAll("\\", "\\\\")
    .replaceAll("\r", "\\r")
    .replaceAll("\n", "\\n")
    .replaceAll("\t", "\\t")
    .replaceAll("\0", "\\0")
    .replace(/[^\x20-\x7e]/g, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`);
}
