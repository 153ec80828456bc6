// The tabs of a message and the view behind the chosen one.
import { useEffect } from "preact/hooks";
import type { Message } from "../../model/index.ts";
import { TABS, type Tab } from "../state/address.ts";
import { attachmentsOf, headersOf } from "../state/opened.ts";
import { navigate, route } from "../state/route.ts";
import { Icon } from "../ui/icon.tsx";
import { AttachmentsView } from "./attachments-view.tsx";
import { ChecksView } from "./checks-view.tsx";
import { HeadersView } from "./headers-view.tsx";
import { HtmlView } from "./html-view.tsx";
import { SourceView } from "./source-view.tsx";
import { TextView } from "./text-view.tsx";

const LABELS: Record<Tab, string> = {
  html: "HTML",
  text: "Text",
  headers: "Headers",
  source: "Source",
  attachments: "Attachments",
  checks: "Checks",
};

const VIEWS: Record<Tab, (props: { message: Message }) => preact.JSX.Element> = {
  html: HtmlView,
  text: TextView,
  headers: HeadersView,
  source: SourceView,
  attachments: AttachmentsView,
  checks: ChecksView,
};

/** Room left beside the chosen tab, so that its neighbour can be seen. */
const TAB_MARGIN_PX = 24;

export function MessageBody({ message }: { message: Message }) {
  const tabs = TABS.filter((tab) => isOffered(tab, message));
  const preferred = preferredTab(message);
  const current = tabs.find((tab) => tab === route.value.tab) ?? preferred;
  const View = VIEWS[current];
  // The count of attachments comes later and pushes the tabs behind it.
  const counted = message.has_attachments && attachmentsOf.of(message.id).value.state;
  useEffect(() => scrollTabIntoSight(document.getElementById(`tab-${current}`)), [current, counted]);
  const choose = (tab: Tab) => navigate({ tab: tab === preferred ? undefined : tab }, "replace");
  return (
    <div class="message-body">
      <div class="tabs" role="tablist" aria-label="Views of the message" data-own-arrows>
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
            onClick={() => choose(tab)}
            onKeyDown={(event) => {
              const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
              const next = step && tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
              if (!next) return;
              event.preventDefault();
              choose(next);
              document.getElementById(`tab-${next}`)?.focus();
            }}
          >
            <TabLabel tab={tab} />
            <TabCount tab={tab} id={message.id} hasAttachments={message.has_attachments} />
          </button>
        ))}
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

/** Where there is something to read; a mail may be nothing but its attachments. */
function preferredTab(message: Message): Tab {
  if (message.html_body) return "html";
  return message.has_attachments && message.text_body.trim() === "" ? "attachments" : "text";
}

function isOffered(tab: Tab, message: Message): boolean {
  if (tab === "html") return message.html_body !== "";
  return tab !== "attachments" || message.has_attachments;
}

/** Where there is little room, a paper clip leaves room for all tabs; its name stays for screen readers. */
function TabLabel({ tab }: { tab: Tab }) {
  if (tab !== "attachments") return <>{LABELS[tab]}</>;
  return (
    <>
      <span class="tab-sign">
        <Icon name="clip" />
      </span>
      <span class="tab-name">{LABELS[tab]}</span>
    </>
  );
}

function TabCount({ tab, id, hasAttachments }: { tab: Tab; id: string; hasAttachments: boolean }) {
  if (tab === "attachments" && hasAttachments) {
    const loaded = attachmentsOf.of(id).value;
    return loaded.state === "ready" ? <span class="tab-count">{loaded.value.length}</span> : null;
  }
  if (tab !== "headers") return null;
  const loaded = headersOf.of(id).value;
  return loaded.state === "ready" ? <span class="tab-count">{loaded.value.length}</span> : null;
}
