// The structure of a mail: header fields in order, and a tree of MIME parts, linked to the source.

import { useMemo } from "preact/hooks";
import { formatSize } from "../../lib/numbers.ts";
import type { Message } from "../../model/index.ts";
import { type MimePart, readSource } from "../format/source.ts";
import { headersOf, wholeSourceOf } from "../state/opened.ts";
import { Button, MailText, Table, Waiting } from "../ui/index.ts";
import { showLine } from "./source-view.tsx";

export function HeadersView({ message }: { message: Message }) {
  const loaded = headersOf.of(message.id).value;
  if (loaded.state !== "ready") return <Waiting loaded={loaded} />;
  const rows = loaded.value.headers.map(({ name, value }) => [name, <MailText key={name} text={value} />]);
  return <Table head={["Field", "Value"]} rows={rows} />;
}

export function PartsView({ message }: { message: Message }) {
  const loaded = wholeSourceOf.of(message.id).value;
  const source = loaded.state === "ready" ? loaded.value.text : "";
  const tree = useMemo(() => readSource(source).tree, [source]);
  if (loaded.state !== "ready") return <Waiting loaded={loaded} />;
  return (
    <ul class="parts">
      <Part part={tree} onShow={(line) => showLine(message, "raw", line)} />
    </ul>
  );
}

function Part({ part, onShow }: { part: MimePart; onShow: (line: number) => void }) {
  return (
    <li>
      <div class="row wrap part">
        <Button
          class="link-button"
          label={part.type}
          title="Show in the source"
          onClick={() => onShow(part.line)}
        />
        {part.name && <MailText as="bdi" text={part.name} />}
        <span class="hint">
          {formatSize(part.size)}
          {part.encoding && ` in ${part.encoding}`}
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
