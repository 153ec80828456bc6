// The whole page: the bar, the rail, the list, the message, and the dialogs above them.
import { HOME, INBOX } from "./api/index.ts";
import { InboxesDialog, TokensDialog } from "./dialogs/access-dialogs.tsx";
import { CompareDialog } from "./dialogs/compare-dialog.tsx";
import { QuestionDialog } from "./dialogs/dialog.tsx";
import { ReleaseDialog } from "./dialogs/release-dialog.tsx";
import { SettingsDialog, ShortcutsDialog } from "./dialogs/settings-dialog.tsx";
import { FaultsDialog, RejectionsDialog } from "./dialogs/smtp-dialogs.tsx";
import { TagDialog } from "./dialogs/tag-dialog.tsx";
import { EmptyInbox } from "./empty/empty-inbox.tsx";
import { OfflineBanner, TopBar } from "./header/top-bar.tsx";
import { ListPane } from "./list/list-pane.tsx";
import { MessagePane } from "./message/message-pane.tsx";
import { Rail, RailDrawer } from "./rail/rail.tsx";
import { type DialogName, dialog, isCovered, isNarrow, isWide, type OpenDialog } from "./state/layout.ts";
import { isEmpty, isListed, listState } from "./state/list.ts";
import { isInboxGone } from "./state/requests.ts";
import { isFiltered, openedId } from "./state/route.ts";
import { hasLeft } from "./state/service.ts";
import { listWidth, showsRail } from "./state/settings.ts";
import { Handle, Icon, Logo, Toasts } from "./ui/index.ts";

const MIN_LIST_PX = 300;
const MIN_MESSAGE_PX = 360;
const RAIL_PX = 200;

const DIALOGS: Record<DialogName, (props: OpenDialog) => preact.JSX.Element | null> = {
  settings: SettingsDialog,
  shortcuts: ShortcutsDialog,
  question: QuestionDialog,
  release: ReleaseDialog,
  tag: TagDialog,
  compare: CompareDialog,
  rail: RailDrawer,
  faults: FaultsDialog,
  rejections: RejectionsDialog,
  inboxes: InboxesDialog,
  tokens: TokensDialog,
};

export function App() {
  if (hasLeft.value) return <SignedOut />;
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
      {Dialog && <Dialog {...opened} />}
      <Toasts isShown={!isCovered.value} />
    </>
  );
}

function SignedOut() {
  return (
    <main class="center grow scroll notice">
      <Logo />
      <h1>You are signed out</h1>
      <a class="button button-primary" href={HOME}>
        Sign in
      </a>
    </main>
  );
}

function NoInbox() {
  return (
    <section class="center grow scroll notice" role="alert">
      <Icon name="inbox" />
      <h2>The inbox {INBOX} does not exist</h2>
      <p>It was removed, has expired, or never existed.</p>
      <a class="button" href={HOME}>
        Show all inboxes
      </a>
    </section>
  );
}

function Panes() {
  const hasNothing = listState.value === "ready" && isListed.value && isEmpty.value && !isFiltered.value;
  const [isAlone, isOpened] = [isNarrow.value, openedId.value !== undefined];
  const instead = isInboxGone.value ? <NoInbox /> : hasNothing && !isOpened && <EmptyInbox />;
  const hasRail = isWide.value && showsRail.value;
  const max = Math.max(MIN_LIST_PX, window.innerWidth - (hasRail ? RAIL_PX : 0) - MIN_MESSAGE_PX);
  return (
    <main id="content" class="grow panes" tabIndex={-1} style={{ "--list-width": `${listWidth.value}px` }}>
      {isAlone && <h1 class="visually-hidden">Mailkeep</h1>}
      {hasRail && <Rail />}
      {instead}
      {!instead && !(isAlone && isOpened) && <ListPane />}
      {!instead && !isAlone && (
        <Handle
          class="fixed splitter"
          label="Width of the list"
          width={Math.min(listWidth.value, max)}
          min={MIN_LIST_PX}
          max={max}
          step={24}
          widthAt={(x) => x - (document.querySelector(".list-pane")?.getBoundingClientRect().left ?? 0)}
          onResize={(width) => (listWidth.value = width)}
        />
      )}
      {!instead && (!isAlone || isOpened) && <MessagePane />}
    </main>
  );
}
