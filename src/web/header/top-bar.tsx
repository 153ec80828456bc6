// The bar across the page, and the banner below it: connection lost, requests failed, signed out.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { hostAndPort } from "../../lib/hosts.ts";
import { ActionButton } from "../actions/action-button.tsx";
import { HOME, INBOX, inboxAddress } from "../api/index.ts";
import { deleteEverything, markAllRead } from "../state/changes.ts";
import { ask, isNarrow, isWide, openDialog } from "../state/layout.ts";
import { hits, ids } from "../state/list.ts";
import { liveState, reconnectNow } from "../state/live.ts";
import { failing, isInboxGone, isSignedOut } from "../state/requests.ts";
import { isFiltered } from "../state/route.ts";
import { mayWrite, smtpAddress, totalCount } from "../state/service.ts";
import { showsRail } from "../state/settings.ts";
import { Button, CopyButton, Icon, IconButton, type IconName, Logo } from "../ui/index.ts";
import { SearchBox } from "./search-box.tsx";

export function TopBar() {
  return (
    <header class="fixed top-bar">
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
          <a class="row wordmark" href={inboxAddress(INBOX)} aria-label="Mailkeep, show all mail">
            <Logo />
            Mailkeep
          </a>
        </h1>
      </div>
      <SearchBox />
      <div class="row end">
        {!isNarrow.value && <SmtpAddress />}
        <LiveBadge />
        <ActionButton name="help" class="wide-only" />
        <ActionButton name="settings" />
        <MoreMenu />
      </div>
    </header>
  );
}

/** As a popover, the menu is closed by the browser on Escape and on a click elsewhere. */
function MoreMenu() {
  const list = useRef<HTMLDivElement>(null);
  const isOpen = useSignal(false);
  const hasMail = totalCount.value !== 0;
  const canMatch = isFiltered.value && hits.value > 0;
  const item = (icon: IconName, label: string, isEnabled: boolean, run: () => void) => (
    <button
      type="button"
      class={icon === "trash" ? "row menu-item is-danger" : "row menu-item"}
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
      <IconButton icon="more" label="More actions" aria-expanded={isOpen.value} popovertarget="menu" />
      <div
        ref={list}
        id="menu"
        class="popup menu"
        popover="auto"
        onToggle={({ newState }) => (isOpen.value = newState === "open")}
      >
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
  const which = isMatching ? " that matches the filter" : INBOX && ` in the inbox ${INBOX}`;
  ask({
    title: isMatching ? "Delete all that match?" : "Delete all mail?",
    text: () =>
      `All mail${which}${counted(isMatching ? hits.value : totalCount.value)} will be deleted, starred mail too. This cannot be undone.`,
    action: "Delete all",
    run: () => void deleteEverything(isMatching),
  });
}

const counted = (count = 0) => (count > 0 ? ` (${count.toLocaleString()})` : "");

export function SmtpAddress() {
  const target = smtpAddress();
  if (!target) return null;
  const address = hostAndPort(target.host, target.port);
  return (
    <span class="row small smtp-address" title={`Send mail to ${address} by SMTP`}>
      <span class="label smtp-label">SMTP</span>
      <code class="cut">{address}</code>
      <CopyButton text={address} label="Copy SMTP address" />
    </span>
  );
}

const WORDS = {
  connecting: { text: "Connecting", tone: "info", hint: "Connecting to the event stream" },
  live: { text: "Live", tone: "good", hint: "Connected: new mail appears automatically" },
  reconnecting: { text: "Reconnecting", tone: "warn", hint: "The connection was lost; trying again" },
};

function LiveBadge() {
  if (isInboxGone.value) return null;
  const { text, tone, hint } = WORDS[liveState.value];
  return (
    <span class={`row fixed hint live-${liveState.value}`} role="status" title={hint}>
      <span class={`live-dot pill-${tone}`} aria-hidden="true" />
      <span class="wide-only">{text}</span>
    </span>
  );
}

const HICCUP_MS = 1200;

export function OfflineBanner() {
  const isLost = liveState.value === "reconnecting" && !isInboxGone.value;
  const isTroubled = isLost || failing.value > 0;
  const words = isSignedOut.value
    ? "You are signed out."
    : isLost
      ? "The connection to the server is lost."
      : "Some requests failed.";
  const hasLasted = useSignal(false);
  useEffect(() => {
    hasLasted.value = false;
    if (!isTroubled) return;
    const timer = setTimeout(() => {
      hasLasted.value = true;
    }, HICCUP_MS);
    return () => clearTimeout(timer);
  }, [isTroubled]);
  return (
    <div role="status">
      {isTroubled && hasLasted.value && (
        <div class="row small note offline-banner">
          <Icon name="offline" />
          <span>
            <strong>{words}</strong> {isLost && ids.value.length > 0 && "What you see may be out of date. "}
            {!isSignedOut.value && "This page tries again by itself."}
          </span>
          <Button
            class="link-button"
            label={isSignedOut.value ? "Sign in" : "Try now"}
            onClick={() => (isSignedOut.peek() ? location.reload() : reconnectNow())}
          />
        </div>
      )}
    </div>
  );
}
