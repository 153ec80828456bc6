// The tabs of a message, the chosen view, and its tools.
import { useEffect } from "preact/hooks";
import type { Message } from "../../model/index.ts";
import type { Tab } from "../api/index.ts";
import { attachmentsOf, checksOf, chooseTab, currentTab, offeredTabs } from "../state/opened.ts";
import { CopyButton, Icon, type IconName } from "../ui/index.ts";
import { AttachmentsTools, AttachmentsView } from "./attachments-view.tsx";
import { ChecksView } from "./checks-view.tsx";
import { HtmlView } from "./html-view.tsx";
import { HeadersView, PartsView } from "./parts-view.tsx";
import { SourceTools, SourceView } from "./source-view.tsx";
import { TextTools, TextView } from "./text-view.tsx";
import { TranscriptView } from "./transcript-view.tsx";

type Part = (props: { message: Message }) => preact.JSX.Element | null;

const VIEWS: Record<Tab, { readonly label: string; readonly View: Part; readonly Tools?: Part }> = {
  html: { label: "HTML", View: HtmlView },
  text: { label: "Text", View: TextView, Tools: TextTools },
  headers: { label: "Headers", View: HeadersView, Tools: CopyPanel },
  source: { label: "Source", View: SourceView, Tools: SourceTools },
  parts: { label: "Parts", View: PartsView },
  attachments: { label: "Attachments", View: AttachmentsView, Tools: AttachmentsTools },
  checks: { label: "Checks", View: ChecksView },
  transcript: { label: "Transcript", View: TranscriptView, Tools: CopyPanel },
};

function CopyPanel() {
  const getText = async () =>
    [...document.querySelectorAll("#tab-panel tbody tr")]
      .map(({ children }) => [...children].map((cell) => cell.textContent).join(": "))
      .join("\n");
  return <CopyButton text={getText} label="Copy all" />;
}

/** In a narrow pane these tabs show an icon and no name. Screen readers still get the names. */
const SIGNS: Partial<Record<Tab, IconName>> = { attachments: "clip", checks: "check", transcript: "runs" };

export function MessageBody({ message }: { message: Message }) {
  const tabs = offeredTabs(message);
  const current = currentTab(message);
  const { View, Tools } = VIEWS[current];
  // The count of attachments comes later and moves the tabs, so it triggers the effect again.
  const counted = message.has_attachments && attachmentsOf.of(message.id).value.state;
  useEffect(() => {
    document.getElementById(`tab-${current}`)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [current, counted]);
  return (
    <div class="column grow message-body">
      <div class="row fixed tabs" role="tablist" aria-label="Views of the mail" data-own-arrows>
        {tabs.map((tab) => (
          <button
            key={tab}
            type="button"
            role="tab"
            id={`tab-${tab}`}
            class={`fixed tab tab-${tab}`}
            aria-selected={tab === current}
            aria-controls="tab-panel"
            tabIndex={tab === current ? 0 : -1}
            onClick={() => chooseTab(message, tab)}
            onKeyDown={(event) => {
              const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
              const next = step && tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
              if (!next) return;
              event.preventDefault();
              chooseTab(message, next);
              document.getElementById(`tab-${next}`)?.focus();
            }}
          >
            {SIGNS[tab] && (
              <span class="tab-sign">
                <Icon name={SIGNS[tab]} />
              </span>
            )}
            <span class={SIGNS[tab] ? "tab-name" : ""}>{VIEWS[tab].label}</span>
            <TabCount tab={tab} message={message} />
          </button>
        ))}
      </div>
      <div
        id="tab-panel"
        class={`grow scroll tab-panel panel-${current}`}
        role="tabpanel"
        aria-labelledby={`tab-${current}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and may hold nothing else to focus
        tabIndex={0}
      >
        <View message={message} />
      </div>
      {Tools && (
        <div class="row fixed desk-foot">
          <Tools key={current} message={message} />
        </div>
      )}
    </div>
  );
}

function TabCount({ tab, message: { id, has_attachments } }: { tab: Tab; message: Message }) {
  const counted = (count: number) => (count > 0 ? <span class="tab-count">{count}</span> : null);
  if (tab === "attachments" && has_attachments) {
    const loaded = attachmentsOf.of(id).value;
    return loaded.state === "ready" ? counted(loaded.value.attachments.length) : null;
  }
  if (tab !== "checks") return null;
  const loaded = checksOf.of(id).value;
  const findings = loaded.state === "ready" ? loaded.value.checks.flatMap(({ findings }) => findings) : [];
  return counted(findings.filter(({ severity }) => severity !== "info").length);
}
