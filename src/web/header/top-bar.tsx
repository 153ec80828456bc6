// The bar across the page: name, search, where to send mail, whether the page is live, and the menu.
import { HOME, NO_FILTER } from "../state/address.ts";
import { openDialog } from "../state/layout.ts";
import { navigate } from "../state/route.ts";
import { totalCount } from "../state/service.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { Logo } from "../ui/logo.tsx";
import { LiveBadge } from "./live-badge.tsx";
import { SearchBox } from "./search-box.tsx";
import { SmtpAddress } from "./smtp-address.tsx";

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
          onClick={() => {
            openDialog.value = "delete-all";
          }}
        />
        <IconButton
          icon="keyboard"
          label="Keyboard shortcuts"
          hotkey="?"
          class="wide-only"
          onClick={() => {
            openDialog.value = "shortcuts";
          }}
        />
        <IconButton
          icon="settings"
          label="Settings"
          onClick={() => {
            openDialog.value = "settings";
          }}
        />
      </div>
    </header>
  );
}
