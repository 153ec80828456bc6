// Text cut where its quoting depth changes, the way ">" at the start of lines tells it.
export interface QuotedPart {
  readonly depth: number;
  readonly text: string;
}

/** Neighbouring lines of the same depth form one part. */
export function quotedParts(text: string): QuotedPart[] {
  const parts: { depth: number; lines: string[] }[] = [];
  for (const line of text.trimEnd().split(/\r?\n/)) {
    const marks = /^(?:> ?)+/.exec(line)?.[0] ?? "";
    const depth = marks.replaceAll(" ", "").length;
    const rest = line.slice(marks.length);
    const last = parts.at(-1);
    if (last?.depth === depth) last.lines.push(rest);
    else parts.push({ depth, lines: [rest] });
  }
  return parts.map(({ depth, lines }) => ({ depth, text: lines.join("\n") }));
}
