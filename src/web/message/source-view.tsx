// The raw source, coloured. Parts out of sight are not laid out, and of a large mail only the beginning
// is fetched until all of it is asked for.
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Message } from "../../model/index.ts";
import { getSource, rawUrl } from "../api/messages.ts";
import { formatSize } from "../format/size.ts";
import { cutSource, type SourcePart } from "../format/source-parts.ts";
import { sourceOf, wholeSourceOf } from "../state/opened.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Icon } from "../ui/icon.tsx";
import { MailText } from "../ui/mail-text.tsx";
import { Waiting } from "../ui/waiting.tsx";

const PARTS_PER_BLOCK = 60;

export function SourceView({ message }: { message: Message }) {
  const wantsAll = useSignal(false);
  const wraps = useSignal(true);
  const loaded = (wantsAll.value ? wholeSourceOf : sourceOf).of(message.id).value;
  const text = loaded.state === "ready" ? loaded.value.text : "";
  const blocks = useMemo(() => inBlocks(cutSource(text)), [text]);
  if (loaded.state !== "ready") return <Waiting loaded={loaded} />;
  return (
    <div class="source-view">
      <div class="view-bar">
        <button
          type="button"
          class="button button-quiet"
          aria-pressed={wraps.value}
          onClick={() => (wraps.value = !wraps.value)}
        >
          <Icon name="wrap" />
          Wrap lines
        </button>
        <CopyButton
          text={loaded.value.isWhole ? text : () => getWholeSource(message.id)}
          label="Copy source"
          caption={loaded.value.isWhole ? "Copy" : "Copy all"}
        />
        <span class="toolbar-gap" />
        <a class="link-button" href={rawUrl(message.id)} download={`${message.id}.eml`}>
          Download {formatSize(message.size)}
        </a>
      </div>
      <pre class={wraps.value ? "source source-wrapped" : "source"}>
        {blocks.map((parts, index) => (
          <code key={index} class="source-block">
            {parts.map((part, place) => (
              <Part key={place} part={part} />
            ))}
          </code>
        ))}
      </pre>
      {!loaded.value.isWhole && (
        <p class="source-more">
          This is the beginning of {formatSize(message.size)}.{" "}
          <button type="button" class="button" onClick={() => (wantsAll.value = true)}>
            Show all
          </button>
        </p>
      )}
    </div>
  );
}

const getWholeSource = async (id: string) => (await getSource(id, "all")).text;

function Part({ part: { kind, text } }: { part: SourcePart }) {
  if (kind !== "field")
    return (
      <span class={`source-${kind}`}>
        <MailText text={`${text}\n`} />
      </span>
    );
  const colon = text.indexOf(":");
  return (
    <span class="source-field">
      <b>{text.slice(0, colon + 1)}</b>
      <MailText text={`${text.slice(colon + 1)}\n`} />
    </span>
  );
}

function inBlocks(parts: readonly SourcePart[]): SourcePart[][] {
  const blocks: SourcePart[][] = [];
  for (let start = 0; start < parts.length; start += PARTS_PER_BLOCK) {
    blocks.push(parts.slice(start, start + PARTS_PER_BLOCK));
  }
  return blocks;
}
