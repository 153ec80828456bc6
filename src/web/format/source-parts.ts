// Raw mail source cut into parts to colour: header fields, boundaries, encoded bodies, plain lines.
// One pass over the lines; a base64 body becomes one part however long it is.
export type PartKind = "field" | "folded" | "boundary" | "encoded" | "plain";

export interface SourcePart {
  readonly kind: PartKind;
  readonly text: string;
  /** Number of the line in the source, for lines by which a part can be found. */
  readonly line?: number;
}

type State = "header" | "body" | "encoded-body";

export function cutSource(source: string): SourcePart[] {
  const parts: SourcePart[] = [];
  const boundaries = new Set<string>();
  let state: State = "header";
  let header = "";
  let run: string[] = [];

  const endRun = () => {
    if (run.length > 0)
      parts.push({ kind: state === "encoded-body" ? "encoded" : "plain", text: run.join("\n") });
    run = [];
  };

  for (const [number, line] of source.split(/\r?\n/).entries()) {
    if (isBoundary(line, boundaries)) {
      endRun();
      parts.push({ kind: "boundary", text: line, line: number });
      state = line.endsWith("--") && boundaries.has(line.slice(2, -2)) ? "body" : "header";
      header = "";
    } else if (state !== "header") {
      run.push(line);
    } else if (line === "") {
      const boundary = /boundary\s*=\s*(?:"([^"]+)"|([^\s;]+))/i.exec(header);
      const name = boundary?.[1] ?? boundary?.[2];
      if (name) boundaries.add(name);
      parts.push({ kind: "plain", text: "" });
      state = startOfBody(header);
    } else {
      header += `${line}\n`;
      parts.push({ kind: /^[ \t]/.test(line) ? "folded" : "field", text: line, line: number });
    }
  }
  endRun();
  return parts;
}

function startOfBody(header: string): State {
  if (/^content-type:\s*message\/rfc822/im.test(header)) return "header";
  return /^content-transfer-encoding:\s*base64/im.test(header) ? "encoded-body" : "body";
}

function isBoundary(line: string, boundaries: ReadonlySet<string>): boolean {
  if (!line.startsWith("--")) return false;
  const name = line.slice(2).trimEnd();
  return boundaries.has(name) || (name.endsWith("--") && boundaries.has(name.slice(0, -2)));
}
