// The bar across the page: name, search, where to send mail, whether the page is live, and the menu.

import { hostAndPort } from "../../lib/host-and-port.ts";
import { ActionButton } from "../actions/action-button.tsx";
import { HOME, NO_FILTER } from "../state/address.ts";
import { openDialog } from "../state/layout.ts";
import { liveState } from "../state/live.ts";
import { navigate } from "../state/route.ts";
import { smtpAddress, totalCount } from "../state/service.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Logo } from "../ui/icon.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { SearchBox } from "./search-box.tsx";

export function TopBar() {
  return (
    <header class="top-bar">
      <h1 class="wordmark-heading">
        <a
          class="wordmark"
          href={HOME}
          aria-label="Mailkeep, to the inbox"
          onClick={(event) => {
            if (event.ctrlKey || event.metaKey) return;
            event.preventDefault();
            navigate({ id: undefined, tab: undefined, filter: NO_FILTER });
          }}
        >
          <Logo />
          <span class="wordmark-text">Mailkeep</span>
        </a>
      </h1>
      <SearchBox />
      <div class="top-bar-facts">
        <SmtpAddress />
        <LiveBadge />
      </div>
      <div class="top-bar-end">
        <IconButton
          icon="trash"
          label="Delete all mail"
          disabled={totalCount.value === 0}
          onClick={() => openDialog("delete-all")}
        />
        <ActionButton name="help" class="wide-only" />
        <ActionButton name="settings" />
      </div>
    </header>
  );
}

/** Where to send mail, ready to copy. */
export function SmtpAddress() {
  const target = smtpAddress();
  if (!target) return null;
  const address = hostAndPort(target.host, target.port);
  return (
    <span class="smtp-address" title={`Send mail to ${address} by SMTP`}>
      <span class="smtp-label">SMTP</span>
      <code>{address}</code>
      <CopyButton text={address} label="Copy SMTP address" />
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
    <span class={`live-badge live-${liveState.value}`} role="status" title={hint}>
      <span class="live-dot" aria-hidden="true" />
      <span>{text}</span>
    </span>
  );
}
