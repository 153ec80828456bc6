// The raw source, coloured, or the decoded HTML with line numbers. Lines out of sight are not laid
// out. Only the beginning of a large mail is fetched, until a person asks for all of it.

import { effect, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { formatSize } from "../../lib/numbers.ts";
import type { Message } from "../../model/index.ts";
import { getSource } from "../api/index.ts";
import { chunksOf, readSource, type SourcePart } from "../format/source.ts";
import { chooseTab, sourceOf, wholeSourceOf } from "../state/opened.ts";
import { openedId } from "../state/route.ts";
import { Button, CopyButton, MailText, Segmented, Waiting } from "../ui/index.ts";

const PARTS_PER_BLOCK = 60;
const SHOWN_MS = 4000;
const LONG_LINE = 300;
const SELECTED = 60;
const KINDS = { raw: { label: "Raw" }, html: { label: "HTML" } };

const wantsAll = signal(false);
const kind = signal<keyof typeof KINDS>("raw");
const jump = signal<{ readonly line: number; readonly column?: number } | undefined>(undefined);
effect(() => {
  openedId.value;
  wantsAll.value = false;
  kind.value = "raw";
});

export function showLine(message: Message, source: keyof typeof KINDS, line: number, column?: number): void {
  jump.value = { line, ...(column && { column }) };
  kind.value = source;
  wantsAll.value = source === "raw";
  chooseTab(message, "source");
}

export function SourceTools({ message }: { message: Message }) {
  const getText = async () =>
    kind.peek() === "html" ? message.html_body : (await getSource(message.id, "all")).text;
  return (
    <>
      {message.html_body !== "" && <Segmented name="Source" options={KINDS} setting={kind} />}
      <CopyButton text={getText} label="Copy source" />
    </>
  );
}

export function SourceView({ message }: { message: Message }) {
  const isHtml = kind.value === "html" && message.html_body !== "";
  const loaded = (wantsAll.value ? wholeSourceOf : sourceOf).of(message.id).value;
  const text = isHtml ? message.html_body : loaded.state === "ready" ? loaded.value.text : "";
  const blocks = useMemo(
    () => chunksOf<Shown>(isHtml ? numberedLines(text) : readSource(text).parts, PARTS_PER_BLOCK),
    [text, isHtml],
  );
  useEffect(() => {
    if ((!isHtml && loaded.state !== "ready") || jump.value === undefined) return;
    const { line: number, column = 1 } = jump.value;
    const line = document.querySelector(`[data-line="${number}"]`);
    line?.scrollIntoView({ block: "center" });
    if (line && (line.textContent ?? "").length > LONG_LINE) showColumn(line, column);
    else line?.animate({ background: ["var(--mark)", "transparent"] }, SHOWN_MS);
    jump.value = undefined;
  }, [loaded, isHtml]);
  if (!isHtml && loaded.state !== "ready") return <Waiting loaded={loaded} />;
  return (
    <div>
      <pre class="source">
        {blocks.map((block, index) => (
          <code key={index} class="source-block" style={{ "--first": index * PARTS_PER_BLOCK }}>
            {block.map((part, place) => (
              <Part key={place} part={part} />
            ))}
          </code>
        ))}
      </pre>
      {!isHtml && loaded.state === "ready" && !loaded.value.isWhole && (
        <p class="row source-more">
          This is only the beginning: the source has {formatSize(message.size)}.{" "}
          <Button label="Show all" onClick={() => (wantsAll.value = true)} />
        </p>
      )}
    </div>
  );
}

/** Selects the text at a column. HTML is often a single line that is longer than the page. */
function showColumn(line: Element, column: number): void {
  const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  let left = column - 1;
  let text = texts.nextNode() as Text | null;
  for (; text && left >= text.length; text = texts.nextNode() as Text | null) left -= text.length;
  if (!text) return;
  const marker = document.createElement("span");
  text.splitText(left).before(marker);
  marker.scrollIntoView({ block: "center", inline: "center" });
  marker.remove();
  text.parentNode?.normalize();
  getSelection()?.setBaseAndExtent(text, left, text, Math.min(text.length, left + SELECTED));
}

type Shown = SourcePart | { readonly kind: "line"; readonly text: string; readonly line: number };

const numberedLines = (text: string): Shown[] =>
  text.split(/\r?\n/).map((line, index) => ({ kind: "line", text: line, line: index + 1 }));

function Part({ part: { kind, text, line } }: { part: Shown }) {
  if (kind !== "field")
    return <MailText as="span" class={`source-${kind}`} data-line={line} text={`${text}\n`} />;
  const colon = text.indexOf(":");
  return (
    <span class="source-field" data-line={line}>
      <b>{text.slice(0, colon + 1)}</b>
      <MailText text={`${text.slice(colon + 1)}\n`} />
    </span>
  );
}
