// The tabs of a message, the tools of the chosen view beside them, and the view below.
import { useEffect } from "preact/hooks";
import type { Message } from "../../model/index.ts";
import type { Tab } from "../state/address.ts";
import { attachmentsOf, chooseTab, currentTab, headersOf, offeredTabs } from "../state/opened.ts";
import { Icon } from "../ui/icon.tsx";
import { AttachmentsTools, AttachmentsView } from "./attachments-view.tsx";
import { ChecksView } from "./checks-view.tsx";
import { HeadersTools, HeadersView } from "./headers-view.tsx";
import { HtmlView } from "./html-view.tsx";
import { PartsView } from "./parts-view.tsx";
import { SourceTools, SourceView } from "./source-view.tsx";
import { TextTools, TextView } from "./text-view.tsx";

type Part = (props: { message: Message }) => preact.JSX.Element | null;

const VIEWS: Record<Tab, { readonly label: string; readonly View: Part; readonly Tools?: Part }> = {
  html: { label: "HTML", View: HtmlView },
  text: { label: "Text", View: TextView, Tools: TextTools },
  headers: { label: "Headers", View: HeadersView, Tools: HeadersTools },
  source: { label: "Source", View: SourceView, Tools: SourceTools },
  parts: { label: "Parts", View: PartsView },
  attachments: { label: "Attachments", View: AttachmentsView, Tools: AttachmentsTools },
  checks: { label: "Checks", View: ChecksView },
};

/** Room left beside the chosen tab, so that its neighbour can be seen. */
const TAB_MARGIN_PX = 24;

export function MessageBody({ message }: { message: Message }) {
  const tabs = offeredTabs(message);
  const current = currentTab(message);
  const { View, Tools } = VIEWS[current];
  // The count of attachments comes later and pushes the tabs behind it.
  const counted = message.has_attachments && attachmentsOf.of(message.id).value.state;
  useEffect(() => scrollTabIntoSight(document.getElementById(`tab-${current}`)), [current, counted]);
  return (
    <div class="message-body">
      <div class="row wrap spread tab-bar">
        <div class="row tabs" role="tablist" aria-label="Views of the message" data-own-arrows>
          {tabs.map((tab) => (
            <button
              key={tab}
              type="button"
              role="tab"
              id={`tab-${tab}`}
              class={`tab tab-${tab}`}
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
              <TabLabel tab={tab} />
              <TabCount tab={tab} id={message.id} hasAttachments={message.has_attachments} />
            </button>
          ))}
        </div>
        {Tools && (
          <div class="row view-tools">
            <Tools key={current} message={message} />
          </div>
        )}
      </div>
      <div
        id="tab-panel"
        class={`tab-panel panel-${current}`}
        role="tabpanel"
        aria-labelledby={`tab-${current}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and may hold nothing else to focus
        tabIndex={0}
      >
        <View message={message} />
      </div>
    </div>
  );
}

/** Moves the tabs only: scrollIntoView would also move the message, where that scrolls. */
function scrollTabIntoSight(tab: HTMLElement | null): void {
  const bar = tab?.parentElement;
  if (!bar) return;
  const [inner, outer] = [tab.getBoundingClientRect(), bar.getBoundingClientRect()];
  const before = outer.left + TAB_MARGIN_PX - inner.left;
  const behind = inner.right - (outer.right - TAB_MARGIN_PX);
  if (before > 0) bar.scrollLeft -= before;
  else if (behind > 0) bar.scrollLeft += behind;
}

/** Where there is little room, a paper clip leaves room for all tabs; its name stays for screen readers. */
function TabLabel({ tab }: { tab: Tab }) {
  if (tab !== "attachments") return <>{VIEWS[tab].label}</>;
  return (
    <>
      <span class="tab-sign">
        <Icon name="clip" />
      </span>
      <span class="tab-name">{VIEWS[tab].label}</span>
    </>
  );
}

function TabCount({ tab, id, hasAttachments }: { tab: Tab; id: string; hasAttachments: boolean }) {
  if (tab !== "headers" && (tab !== "attachments" || !hasAttachments)) return null;
  const loaded = (tab === "headers" ? headersOf : attachmentsOf).of(id).value;
  return loaded.state === "ready" ? <span class="tab-count">{loaded.value.length}</span> : null;
}
