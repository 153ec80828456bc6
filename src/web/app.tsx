// The whole page: the bar, the list, the message, and what floats above them.
import { CompareDialog } from "./dialogs/compare-dialog.tsx";
import { DeleteAllDialog } from "./dialogs/delete-all-dialog.tsx";
import { FaultsDialog } from "./dialogs/faults-dialog.tsx";
import { RejectionsDialog } from "./dialogs/rejections-dialog.tsx";
import { ReleaseDialog } from "./dialogs/release-dialog.tsx";
import { SettingsDialog } from "./dialogs/settings-dialog.tsx";
import { ShortcutsDialog } from "./dialogs/shortcuts-dialog.tsx";
import { TagDialog } from "./dialogs/tag-dialog.tsx";
import { EmptyInbox } from "./empty/empty-inbox.tsx";
import { OfflineBanner } from "./header/offline-banner.tsx";
import { TopBar } from "./header/top-bar.tsx";
import { ListPane } from "./list/list-pane.tsx";
import { MessagePane } from "./message/message-pane.tsx";
import { Rail, RailDrawer } from "./rail/rail.tsx";
import { type DialogName, dialog, isCovered, isNarrow, isWide } from "./state/layout.ts";
import { isEmpty, isListed, listState } from "./state/list.ts";
import { isFiltered, openedId } from "./state/route.ts";
import { listWidth, showsRail } from "./state/settings.ts";
import { Handle } from "./ui/handle.tsx";
import { Toasts } from "./ui/toasts.tsx";

const MIN_LIST_PX = 300;
const MIN_MESSAGE_PX = 380;

const DIALOGS: Record<DialogName, (props: { ids: readonly string[] }) => preact.JSX.Element | null> = {
  settings: SettingsDialog,
  shortcuts: ShortcutsDialog,
  "delete-all": () => <DeleteAllDialog />,
  "delete-matching": () => <DeleteAllDialog isMatching />,
  release: ReleaseDialog,
  tag: TagDialog,
  compare: CompareDialog,
  rail: RailDrawer,
  faults: FaultsDialog,
  rejections: RejectionsDialog,
};

export function App() {
  const opened = dialog.value;
  const Dialog = opened && DIALOGS[opened.name];
  return (
    <>
      <a class="button button-primary skip-link" href="#content">
        Skip to the mail
      </a>
      {!(isNarrow.value && openedId.value) && <TopBar />}
      <OfflineBanner />
      <Panes />
      {Dialog && <Dialog ids={opened.ids} />}
      <Toasts isShown={!isCovered.value} />
    </>
  );
}

function Panes() {
  const hasNothing = listState.value === "ready" && isListed.value && isEmpty.value && !isFiltered.value;
  if (hasNothing && !openedId.value) return <EmptyInbox />;
  if (isNarrow.value) {
    return (
      <main id="content" class="panes" tabIndex={-1}>
        <h1 class="visually-hidden">Mailkeep</h1>
        {openedId.value ? <MessagePane /> : <ListPane />}
      </main>
    );
  }
  return (
    <main id="content" class="panes" tabIndex={-1} style={{ "--list-width": `${listWidth.value}px` }}>
      {isWide.value && showsRail.value && <Rail />}
      <ListPane />
      <Handle
        class="splitter"
        label="Width of the list"
        width={listWidth.value}
        min={MIN_LIST_PX}
        max={Math.max(MIN_LIST_PX, window.innerWidth - MIN_MESSAGE_PX)}
        step={24}
        widthAt={(x) => x - (document.querySelector(".list-pane")?.getBoundingClientRect().left ?? 0)}
        onResize={(width) => (listWidth.value = width)}
      />
      <MessagePane />
    </main>
  );
}
