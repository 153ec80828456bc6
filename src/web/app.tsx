// The whole page: the bar, the list, the message, and what floats above them.
import { DeleteAllDialog } from "./dialogs/delete-all-dialog.tsx";
import { ReleaseDialog } from "./dialogs/release-dialog.tsx";
import { SettingsDialog } from "./dialogs/settings-dialog.tsx";
import { ShortcutsDialog } from "./dialogs/shortcuts-dialog.tsx";
import { TagDialog } from "./dialogs/tag-dialog.tsx";
import { EmptyInbox } from "./empty/empty-inbox.tsx";
import { UnknownAddress } from "./empty/unknown-address.tsx";
import { OfflineBanner } from "./header/offline-banner.tsx";
import { TopBar } from "./header/top-bar.tsx";
import { ListPane } from "./list/list-pane.tsx";
import { MessagePane } from "./message/message-pane.tsx";
import { isCovered, isNarrow, openDialog } from "./state/layout.ts";
import { isFiltered, openedId, route } from "./state/route.ts";
import { listWidth } from "./state/settings.ts";
import { isEmpty, isListed, viewState } from "./state/view.ts";
import { Splitter } from "./ui/splitter.tsx";
import { Toasts } from "./ui/toasts.tsx";

const DIALOGS = {
  settings: SettingsDialog,
  shortcuts: ShortcutsDialog,
  "delete-all": DeleteAllDialog,
  release: ReleaseDialog,
  tag: TagDialog,
};

export function App() {
  const Dialog = openDialog.value && DIALOGS[openDialog.value];
  return (
    <>
      <a class="skip-link" href="#content">
        Skip to the mail
      </a>
      <TopBar />
      <OfflineBanner />
      <Panes />
      {Dialog && <Dialog />}
      <Toasts isShown={!isCovered.value} />
    </>
  );
}

function Panes() {
  if (route.value.isUnknown) return <UnknownAddress />;
  const hasNothing = viewState.value === "ready" && isListed.value && isEmpty.value && !isFiltered.value;
  if (hasNothing && !openedId.value) return <EmptyInbox />;
  if (isNarrow.value) {
    return (
      <main id="content" class="panes panes-one" tabIndex={-1}>
        {openedId.value ? <MessagePane /> : <ListPane />}
      </main>
    );
  }
  return (
    <main id="content" class="panes" tabIndex={-1} style={{ "--list-width": `${listWidth.value}px` }}>
      <ListPane />
      <Splitter />
      <MessagePane />
    </main>
  );
}
