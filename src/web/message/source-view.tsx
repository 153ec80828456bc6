// The raw source, coloured, or the decoded HTML with line numbers. Parts out of sight are not laid out, and of a large
// mail only the beginning is fetched until all of it is asked for.
import { effect, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { formatSize } from "../../lib/size.ts";
import type { Message } from "../../model/index.ts";
import { getSource } from "../api/messages.ts";
import { readSource, type SourcePart } from "../format/source.ts";
import { sourceOf, wholeSourceOf } from "../state/opened.ts";
import { openedId } from "../state/route.ts";
import { wrapsSource } from "../state/settings.ts";
import { Segmented, Toggle } from "../ui/choices.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { MailText } from "../ui/mail-text.tsx";
import { Waiting } from "../ui/waiting.tsx";

const PARTS_PER_BLOCK = 60;
const KINDS = { raw: { label: "Raw" }, html: { label: "HTML" } };

const wantsAll = signal(false);
const kind = signal<keyof typeof KINDS>("raw");
const jump = signal<number | undefined>(undefined);
effect(() => {
  openedId.value;
  wantsAll.value = false;
  kind.value = "raw";
});

/** Shows this line of the source when the view is drawn next. */
export function jumpTo(line: number, source: keyof typeof KINDS): void {
  jump.value = line;
  kind.value = source;
  wantsAll.value = source === "raw";
}

export function SourceTools({ message }: { message: Message }) {
  const getText = async () =>
    kind.peek() === "html" ? message.html_body : (await getSource(message.id, "all")).text;
  return (
    <>
      {message.html_body !== "" && <Segmented name="Source" options={KINDS} setting={kind} />}
      <Toggle label="Wrap lines" hint="Wrap long lines" icon="wrap" setting={wrapsSource} />
      <CopyButton text={getText} label="Copy source" />
    </>
  );
}

export function SourceView({ message }: { message: Message }) {
  const isHtml = kind.value === "html" && message.html_body !== "";
  const loaded = (wantsAll.value ? wholeSourceOf : sourceOf).of(message.id).value;
  const text = isHtml ? message.html_body : loaded.state === "ready" ? loaded.value.text : "";
  const blocks = useMemo(
    () =>
      inBlocks(
        isHtml
          ? text.split(/\r?\n/).map((line, index) => ({ kind: "line", text: line, line: index + 1 }))
          : readSource(text).parts,
      ),
    [text, isHtml],
  );
  useEffect(() => {
    if ((!isHtml && loaded.state !== "ready") || jump.value === undefined) return;
    document.querySelector(`[data-line="${jump.value}"]`)?.scrollIntoView({ block: "center" });
    jump.value = undefined;
  }, [loaded, isHtml]);
  if (!isHtml && loaded.state !== "ready") return <Waiting loaded={loaded} />;
  return (
    <div>
      <pre class={`source ${wrapsSource.value ? "source-wrapped" : ""} ${isHtml ? "source-numbered" : ""}`}>
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
          This is the beginning of {formatSize(message.size)}.{" "}
          <button type="button" class="button" onClick={() => (wantsAll.value = true)}>
            Show all
          </button>
        </p>
      )}
    </div>
  );
}

type Shown = SourcePart | { readonly kind: "line"; readonly text: string; readonly line: number };

function Part({ part: { kind, text, line } }: { part: Shown }) {
  if (kind !== "field")
    return (
      <span class={`source-${kind}`} data-line={line}>
        <MailText text={`${text}\n`} />
      </span>
    );
  const colon = text.indexOf(":");
  return (
    <span class="source-field" data-line={line}>
      <b>{text.slice(0, colon + 1)}</b>
      <MailText text={`${text.slice(colon + 1)}\n`} />
    </span>
  );
}

function inBlocks(parts: readonly Shown[]): Shown[][] {
  const blocks: Shown[][] = [];
  for (let start = 0; start < parts.length; start += PARTS_PER_BLOCK) {
    blocks.push(parts.slice(start, start + PARTS_PER_BLOCK));
  }
  return blocks;
}
