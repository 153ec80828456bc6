// The web page's entry point: follows the address, fetches the list, listens for events, draws.
import { effect } from "@preact/signals";
import { render } from "preact";
import { keepFocus } from "./actions/focus.ts";
import { followKeys } from "./actions/keys.ts";
import { BASE_PATH, INBOX, inboxAddress, pathBelow } from "./api/index.ts";
import { App } from "./app.tsx";
import { followFrames, printWhole } from "./message/html-frame.ts";
import { commitAll } from "./state/changes.ts";
import { closeDialog } from "./state/layout.ts";
import { loadList } from "./state/list.ts";
import { liveState, refetch, startLive } from "./state/live.ts";
import { showUnreadInTitle } from "./state/notifications.ts";
import { isInboxGone } from "./state/requests.ts";
import { filterKey, followHistory, openedId, route } from "./state/route.ts";
import { clearSelection } from "./state/selection.ts";
import { followInboxes, loadInfo, loadMe, loadTags } from "./state/service.ts";
import { theme } from "./state/settings.ts";
import { complain } from "./state/toasts.ts";
import "./styles/index.css";

const TYPING_MS = 120;
const PATIENCE_MS = 500;

effect(() => {
  document.documentElement.dataset.theme = theme.value;
  document.documentElement.dataset.live = liveState.value;
});

// A dialog belongs to what is shown behind it, so it closes when the address changes.
effect(() => {
  route.value;
  closeDialog();
});

let typing: ReturnType<typeof setTimeout> | undefined;
let hasStarted = false;
effect(() => {
  filterKey.value;
  clearTimeout(typing);
  clearSelection();
  if (hasStarted) typing = setTimeout(() => void loadList(), TYPING_MS);
});

/** The events continue from a number in the server's info. If the info is slow, they do not wait for it. */
async function start(): Promise<void> {
  const patience = new Promise<undefined>((resolve) => setTimeout(resolve, PATIENCE_MS));
  const [info] = (await Promise.race([Promise.all([loadInfo(), loadMe()]), patience])) ?? [];
  if (isInboxGone.peek()) return;
  hasStarted = true;
  startLive(info?.events.seq);
  void loadList();
  void loadTags();
}

if (pathBelow(BASE_PATH, location.pathname) !== "/" && !openedId.peek()) {
  complain(`There is nothing at ${location.pathname}. This is the inbox.`);
  history.replaceState(null, "", inboxAddress(INBOX));
}
followHistory();
followKeys();
followFrames();
keepFocus();
printWhole();
followInboxes();
showUnreadInTitle();
window.addEventListener("pagehide", commitAll);
window.addEventListener("pageshow", ({ persisted }) => persisted && refetch());
void start();

// index.html contains the empty frame of the page, shown until this script runs.
const root = document.getElementById("app");
root?.replaceChildren();
if (root) render(<App />, root);
