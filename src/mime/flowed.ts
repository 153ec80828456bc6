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
  /** What `before` adds to the text, held back until it is known whether its last space stays. */
  let held = "";
  for (const written of text.split(/\r?\n/)) {
    const line = readLine(written);
    if (before === null) held = line.shown;
    else if (continues(line, before)) {
      out.push(deleteSpace ? held.slice(0, -1) : held);
      held = line.text;
    } else {
      out.push(held, "\n");
      held = line.shown;
    }
    before = line;
  }
  out.push(held);
  return out.join("");
}

/** A paragraph without end is cut here. */
const MAX_PARAGRAPH_CHARS = 1 << 17;

/** The same for text that comes in slices. */
export function* decodeFlowedSlices(
  slices: Iterable<string>,
  deleteSpace: boolean,
): Generator<string, void, void> {
  let rest = "";
  for (const slice of slices) {
    rest += slice;
    const isCut = rest.length > MAX_PARAGRAPH_CHARS;
    const end = isCut ? rest.length : endOfParagraphs(rest);
    yield decodeFlowed(rest.slice(0, end), deleteSpace) + (isCut ? "\n" : "");
    rest = rest.slice(end);
  }
  yield decodeFlowed(rest, deleteSpace);
}

/** Just after the last line break that no space precedes: the next line begins a paragraph. */
function endOfParagraphs(text: string): number {
  let at = text.lastIndexOf("\n");
  while (at >= 0 && text[text[at - 1] === "\r" ? at - 2 : at - 1] === " ")
    at = at === 0 ? -1 : text.lastIndexOf("\n", at - 1);
  return at + 1;
}
