// format=flowed (RFC 3676): lines that end in a space go on in the next line of the same quote depth.

interface Line {
  readonly depth: number;
  /** Without quote marks and stuffing. */
  readonly text: string;
  /** As it is shown when it begins a paragraph: quote marks as written. */
  readonly shown: string;
}

const SIGNATURE = "-- ";

function readLine(written: string): Line {
  let depth = 0;
  while (written[depth] === ">") depth++;
  const text = written.slice(written[depth] === " " ? depth + 1 : depth);
  return { depth, text, shown: depth > 0 ? written : text };
}

const isFlowed = ({ text }: Line) => text.endsWith(" ") && text !== SIGNATURE;

/** An empty line, a signature or another quote depth ends a paragraph, even one that says it goes on. */
const continues = (line: Line, before: Line) =>
  isFlowed(before) && line.depth === before.depth && line.text !== "" && line.text !== SIGNATURE;

export function decodeFlowed(text: string, deleteSpace: boolean): string {
  const out: string[] = [];
  let before: Line | null = null;
  for (const written of text.split(/\r?\n/)) {
    const line = readLine(written);
    if (before !== null && continues(line, before)) {
      if (deleteSpace) out.push(out.pop()?.slice(0, -1) ?? "");
      out.push(line.text);
    } else out.push(before === null ? "" : "\n", line.shown);
    before = line;
  }
  return out.join("");
}
