// The bar across the page: name, search, where to send mail, whether the page is live, and the menu.
import { useRef } from "preact/hooks";
import { hostAndPort } from "../../lib/host-and-port.ts";
import { ActionButton } from "../actions/action-button.tsx";
import { HOME, inboxAddress, NO_FILTER } from "../api/address.ts";
import { INBOX } from "../api/client.ts";
import { mayWrite } from "../state/access.ts";
import { deleteEverything, markAllRead } from "../state/changes.ts";
import { ask, isWide, openDialog } from "../state/layout.ts";
import { ids } from "../state/list.ts";
import { liveState } from "../state/live.ts";
import { isFiltered, navigate } from "../state/route.ts";
import { smtpAddress, totalCount } from "../state/service.ts";
import { showsRail } from "../state/settings.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Icon, type IconName, Logo } from "../ui/icon.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { SearchBox } from "./search-box.tsx";

export function TopBar() {
  return (
    <header class="top-bar">
      <div class="row">
        <IconButton
          icon="menu"
          label="Mailbox and tags"
          onClick={() => {
            if (isWide.peek()) showsRail.value = !showsRail.peek();
            else openDialog("rail");
          }}
        />
        <h1 class="wide-only">
          <a
            class="row wordmark"
            href={inboxAddress(INBOX)}
            aria-label="Mailkeep, to the inbox"
            onClick={(event) => {
              if (event.ctrlKey || event.metaKey) return;
              event.preventDefault();
              navigate({ id: undefined, tab: undefined, filter: NO_FILTER });
            }}
          >
            <Logo />
            Mailkeep
          </a>
        </h1>
      </div>
      <SearchBox />
      <div class="row end">
        <SmtpAddress />
        <LiveBadge />
        <ActionButton name="help" class="wide-only" />
        <ActionButton name="settings" />
        <MoreMenu />
      </div>
    </header>
  );
}

/** In words, not icons. The browser closes it on Escape and on a click elsewhere. */
function MoreMenu() {
  const list = useRef<HTMLDivElement>(null);
  const hasMail = totalCount.value !== 0;
  const canMatch = isFiltered.value && ids.value.length > 0;
  const item = (icon: IconName, label: string, isEnabled: boolean, run: () => void) => (
    <button
      type="button"
      class={icon === "trash" ? "menu-item is-danger" : "menu-item"}
      disabled={!isEnabled}
      onClick={() => {
        list.current?.hidePopover();
        run();
      }}
    >
      <Icon name={icon} />
      {label}
    </button>
  );
  return (
    <>
      <IconButton
        icon="more"
        label="More actions"
        aria-haspopup="true"
        onClick={() => list.current?.togglePopover()}
      />
      <div ref={list} class="popup menu" popover="auto">
        {mayWrite() && (
          <>
            {item("read", "Mark all as read", hasMail, () => void markAllRead())}
            {item("trash", "Delete all that match …", canMatch, () => askToDelete(true))}
            {item("trash", "Delete all mail …", hasMail, () => askToDelete(false))}
          </>
        )}
        {item("file", "API documentation", true, () => location.assign(`${HOME}docs`))}
      </div>
    </>
  );
}

function askToDelete(isMatching: boolean): void {
  const which = isMatching ? "that match the filter" : "in this mailbox";
  ask({
    title: isMatching ? "Delete all that match?" : "Delete all mail?",
    text: () =>
      `${everything(isMatching ? ids.value.length : totalCount.value)} ${which} will be removed from the server, starred ones too.`,
    action: "Delete all",
    run: () => void deleteEverything(isMatching),
  });
}

function everything(count: number | undefined): string {
  // All mail may have been deleted elsewhere while the dialog was open.
  if (!count) return "Every message";
  return count === 1 ? "The one message" : `All ${count.toLocaleString()} messages`;
}

export function SmtpAddress() {
  const target = smtpAddress();
  const address = target ? hostAndPort(target.host, target.port) : "";
  return (
    <span class="row smtp-address" title={target && `Send mail to ${address} by SMTP`}>
      <span class="label smtp-label">SMTP</span>
      <code class="cut">{address}</code>
      {target && <CopyButton text={address} label="Copy SMTP address" />}
    </span>
  );
}

const WORDS = {
  connecting: { text: "Connecting", hint: "Connecting to the event stream" },
  live: { text: "Live", hint: "New mail appears by itself" },
  reconnecting: { text: "Reconnecting", hint: "The connection was lost; trying again" },
};

function LiveBadge() {
  const { text, hint } = WORDS[liveState.value];
  return (
    <span class={`row hint live-${liveState.value}`} role="status" title={hint}>
      <span class="live-dot" aria-hidden="true" />
      <span class="wide-only">{text}</span>
    </span>
  );
}
