// The MIME parts as a tree: type, name, size and encoding of each, with a way to its place in the source.
import { useMemo } from "preact/hooks";
import { formatSize } from "../../lib/size.ts";
import type { Message } from "../../model/index.ts";
import { type MimePart, readSource } from "../format/source.ts";
import { chooseTab, wholeSourceOf } from "../state/opened.ts";
import { MailText } from "../ui/mail-text.tsx";
import { Waiting } from "../ui/waiting.tsx";
import { jumpTo } from "./source-view.tsx";

export function PartsView({ message }: { message: Message }) {
  const loaded = wholeSourceOf.of(message.id).value;
  const source = loaded.state === "ready" ? loaded.value.text : "";
  const tree = useMemo(() => readSource(source).tree, [source]);
  if (loaded.state !== "ready") return <Waiting loaded={loaded} />;
  const show = (line: number) => {
    jumpTo(line, "raw");
    chooseTab(message, "source");
  };
  return (
    <ul class="parts">
      <Part part={tree} onShow={show} />
    </ul>
  );
}

function Part({ part, onShow }: { part: MimePart; onShow: (line: number) => void }) {
  return (
    <li>
      <div class="row wrap part">
        <button
          type="button"
          class="link-button"
          title="Show in the source"
          onClick={() => onShow(part.line)}
        >
          {part.type}
        </button>
        {part.name && (
          <bdi>
            <MailText text={part.name} />
          </bdi>
        )}
        <span class="hint">
          {formatSize(part.size)}
          {part.encoding && ` · ${part.encoding}`}
        </span>
      </div>
      {part.children.length > 0 && (
        <ul>
          {part.children.map((child) => (
            <Part key={child.line} part={child} onShow={onShow} />
          ))}
        </ul>
      )}
    </li>
  );
}
