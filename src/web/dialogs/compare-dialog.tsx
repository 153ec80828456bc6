// Two messages side by side: header fields, text or HTML, with the differences marked.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { getMessage, getPart } from "../api/index.ts";
import { type ComparedPiece, compareTexts } from "../format/compare.ts";
import { formatMoment } from "../format/time.ts";
import { closeDialog } from "../state/layout.ts";
import { MailText, NoSubject, Ready, Segmented, useLoaded } from "../ui/index.ts";
import { Dialog } from "./dialog.tsx";

const PARTS = { headers: { label: "Headers" }, text: { label: "Text" }, html: { label: "HTML" } };
const MOST_CHARACTERS = 200_000;

export function CompareDialog({ ids }: { ids: readonly string[] }) {
  const part = useSignal<keyof typeof PARTS>("text");
  // The older message is on the left: ids sort by their time.
  const loaded = useLoaded((unwanted) => Promise.all([...ids].sort().map((id) => load(id, unwanted))));
  return (
    <Dialog title="Compare two mails" class="viewer" onClose={closeDialog}>
      <Segmented name="Compare" options={PARTS} setting={part} />
      <Ready of={loaded}>{(sides) => <Comparison sides={sides} part={part.value} />}</Ready>
    </Dialog>
  );
}

type Compared = Awaited<ReturnType<typeof load>>;

async function load(id: string, signal: AbortSignal) {
  const [message, { headers }] = await Promise.all([
    getMessage(id, signal),
    getPart(id, "headers?include=addresses", signal),
  ]);
  const parts = {
    headers: headers.map(({ name, value }) => `${name}: ${value}`).join("\n"),
    text: message.text_body,
    // HTML from templates is often one long line. A break between tags gives lines to compare.
    html: message.html_body.replace(/>\s*</g, ">\n<"),
  };
  return { message, parts };
}

function Comparison({ sides, part }: { sides: readonly Compared[]; part: keyof typeof PARTS }) {
  const [left = "", right = ""] = sides.map(({ parts }) => parts[part]);
  return (
    <Differences left={left} right={right}>
      {sides.map(({ message }) => (
        <div key={message.id} class="row wrap spread compared-head">
          {message.subject ? <MailText text={message.subject} /> : <NoSubject />}
          <span class="hint">{formatMoment(message.created_at)}</span>
        </div>
      ))}
    </Differences>
  );
}

export function Differences(props: { left: string; right: string; children: ComponentChildren }) {
  const [left, right] = [props.left, props.right].map((text) => text.slice(0, MOST_CHARACTERS));
  const rows = useMemo(() => compareTexts(left ?? "", right ?? ""), [left, right]);
  const isSame = rows?.every((row) => "equal" in row);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keyboard too
    <div class="scroll compared" tabIndex={0} role="region" aria-label="Differences">
      {props.children}
      {!rows && <p class="compared-note">They differ too much to be compared line by line.</p>}
      {isSame && <p class="compared-note">No differences.</p>}
      {!isSame &&
        rows?.map((row, index) =>
          "equal" in row ? (
            <p key={index} class="compared-note">
              {row.equal === 1 ? "1 equal line" : `${row.equal} equal lines`}
            </p>
          ) : (
            [
              <Line key={`${index} left`} pieces={row.left} kind="del" />,
              <Line key={`${index} right`} pieces={row.right} kind="ins" />,
            ]
          ),
        )}
    </div>
  );
}

function Line({ pieces, kind }: { pieces: readonly ComparedPiece[]; kind: "del" | "ins" }) {
  return (
    <div class="compared-line">
      {pieces.map(({ text, isMarked }, index) => (
        <MailText key={index} as={isMarked ? kind : undefined} text={text} />
      ))}
    </div>
  );
}
