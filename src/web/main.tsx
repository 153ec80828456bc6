// The web page's entry point: follows the address, fetches the list, listens for events, draws.
import { effect } from "@preact/signals";
import { render } from "preact";
import { App } from "./app.tsx";
import { keepFocus } from "./keyboard/focus.ts";
import { followKeys } from "./keyboard/follow-keys.ts";
import { keepClicks } from "./list/keep-clicks.ts";
import { followFrames } from "./message/follow-frames.ts";
import { printWhole } from "./message/print-whole.ts";
import { startClock } from "./state/clock.ts";
import { commitAll } from "./state/delete.ts";
import { finishDeletes } from "./state/last-deletes.ts";
import { openDialog } from "./state/layout.ts";
import { startLive } from "./state/live.ts";
import { placeOpened, reloadView } from "./state/load-view.ts";
import { leaveWhenMovedOn } from "./state/membership.ts";
import { fetchNearOpened } from "./state/near-opened.ts";
import { filterKey, followHistory, route } from "./state/route.ts";
import { clearSelection } from "./state/selection.ts";
import { loadService } from "./state/service.ts";
import { density, theme } from "./state/settings.ts";
import { loadTags } from "./state/tags.ts";
import { showUnreadInTitle } from "./state/title.ts";
import "./styles/index.css";

const TYPING_MS = 120;

effect(() => {
  document.documentElement.dataset.theme = theme.value;
  document.documentElement.dataset.density = density.value;
});

// A dialog is about what was shown when it was opened.
effect(() => {
  route.value;
  openDialog.value = undefined;
});

let typing: ReturnType<typeof setTimeout> | undefined;
let isFirst = true;
effect(() => {
  filterKey.value;
  clearTimeout(typing);
  clearSelection();
  typing = isFirst ? setTimeout(loadFirstView) : setTimeout(() => void reloadView(), TYPING_MS);
  isFirst = false;
});

function loadFirstView(): void {
  // Without its place in the list a message can still be read.
  void finishDeletes()
    .then(() => reloadView())
    .then(placeOpened);
}

followHistory();
followKeys();
followFrames();
keepFocus();
keepClicks();
printWhole();
startClock();
startLive();
showUnreadInTitle();
leaveWhenMovedOn();
fetchNearOpened();
void loadService();
void loadTags();
window.addEventListener("pagehide", commitAll);
window.addEventListener("pageshow", ({ persisted }) => persisted && void finishDeletes());

const root = document.getElementById("app");
if (root) render(<App />, root);
