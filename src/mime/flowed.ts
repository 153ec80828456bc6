// format=flowed (RFC 3676): lines that end in a space go on in the next line.

export function decodeFlowed(text: string, deleteSpace: boolean): string {
  const out: string[] = [];
  let paragraph: string[] = [];
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  for (const line of lines) {
    const isSoft = line.endsWith(" ") && line !== "-- ";
    const stuffed = line.startsWith(" ") ? line.slice(1) : line;
    paragraph.push(isSoft && deleteSpace ? stuffed.slice(0, -1) : stuffed);
    if (isSoft) continue;
    out.push(paragraph.join(""));
    paragraph = [];
  }
  if (paragraph.length > 0) out.push(paragraph.join(""));
  return out.join("\n");
}
