// Connects the event stream to the state. Events are gathered for a moment and applied together,
// so that ten thousand mails in a second cost a few redraws.
import { batch, signal } from "@preact/signals";
import type { InboxEvent } from "../../model/index.ts";
import { LiveSocket, type LiveState } from "../api/live-socket.ts";
import { applyEvents } from "./apply-events.ts";
import { refreshHead, reloadView, renewView, wasListedSince } from "./load-view.ts";
import { askForOpened, recheckOpened } from "./opened.ts";
import { recheckSelected } from "./recheck-selected.ts";
import { loadService, recountSoon } from "./service.ts";
import { loadTags } from "./tags.ts";
import { tryNow } from "./until-answered.ts";

const GATHER_MS = 30;
/** After so many at once, more will follow: redrawing less often leaves time to scroll and read. */
const FLOOD_EVENTS = 20;
const FLOOD_GATHER_MS = 250;

export const liveState = signal<LiveState>("connecting");

let gathered: InboxEvent[] = [];
let gatherMs = GATHER_MS;

let lostAt = Number.POSITIVE_INFINITY;
let socket: LiveSocket | undefined;

export function reconnectNow(): void {
  socket?.retryNow();
  tryNow();
}

export function startLive(): void {
  socket = new LiveSocket({
    onState: (state) => {
      if (state === "live" && liveState.peek() === "connecting") lookAtAllAgain();
      if (state === "live") tryNow();
      // What was missed is told now; a list that was fetched meanwhile has it already.
      if (state === "live" && wasListedSince(lostAt)) renewView();
      if (liveState.peek() === "live") lostAt = performance.now();
      liveState.value = state;
    },
    onEvent: (event) => {
      gathered.push(event);
      if (gathered.length === 1) setTimeout(applyGathered, gatherMs);
    },
    // Where only events are kept away, as by a proxy that does not know them, what comes and goes is seen nevertheless.
    onFailed: () => {
      void refreshHead();
      recountSoon();
      void askForOpened();
    },
    onReload: refetch,
  });
  socket.connect();
  window.addEventListener("online", reconnectNow);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState !== "visible") return;
    reconnectNow();
    // A connection that died while the computer slept may not have noticed yet.
    void refreshHead();
  });
}

/** Mail may have come, gone or changed between the first answers and the first event. */
function lookAtAllAgain(): void {
  renewView();
  recountSoon();
  void loadTags();
  recheckOpened();
}

export function refetch(): void {
  void reloadView();
  void loadService();
  void loadTags();
  recheckOpened();
  void recheckSelected();
}

function applyGathered(): void {
  const events = gathered;
  gathered = [];
  gatherMs = events.length > FLOOD_EVENTS ? FLOOD_GATHER_MS : GATHER_MS;
  batch(() => applyEvents(events));
}
