// Connects the event stream to the state. Events are gathered for a moment and applied together,
// so that ten thousand mails in a second cost a few redraws.
import { batch, signal } from "@preact/signals";
import { LiveSocket, type LiveState, type NumberedEvent } from "../api/live-socket.ts";
import { clearList, gone, insertNew, loadList, refreshSoon, removeGone, upset } from "./list.ts";
import { forgetAllMails, forgetMails, hidden, mailOf, patchMail, putMail, unhideMails } from "./mails.ts";
import { announceMail } from "./notifications.ts";
import { fullMessage, recheckOpened } from "./opened.ts";
import { tryNow } from "./requests.ts";
import { isFiltered, openedId } from "./route.ts";
import { clearSelection, unselect } from "./selection.ts";
import { countEvent, countNothing, loadInfo, loadTags, recountSoon, reloadTagsSoon } from "./service.ts";

const GATHER_MS = 30;
/** After so many at once, more will follow: redrawing less often leaves time to scroll and read. */
const FLOOD_EVENTS = 20;
const FLOOD_GATHER_MS = 250;
const FRESH_MS = 1600;

export const liveState = signal<LiveState>("connecting");
/** Mail that arrived a moment ago: its rows light up once. */
export const fresh = signal<ReadonlySet<string>>(new Set());

let gathered: NumberedEvent[] = [];
let gatherMs = GATHER_MS;
let socket: LiveSocket | undefined;

export function reconnectNow(): void {
  socket?.retryNow();
  tryNow();
}

/** `seq`: the last event that the page's first answers know of. */
export function startLive(seq: number | undefined): void {
  const handlers = {
    onState: (state: LiveState) => {
      if (state === "live") tryNow();
      liveState.value = state;
    },
    onEvent: (event: NumberedEvent) => {
      gathered.push(event);
      if (gathered.length === 1) setTimeout(applyGathered, gatherMs);
    },
    // Where a proxy keeps events away, the page still follows what comes and goes.
    onFailed: () => {
      refreshSoon();
      recountSoon();
      recheckOpened();
    },
    onGap: refetch,
  };
  socket = new LiveSocket(handlers, seq);
  socket.connect();
  window.addEventListener("online", reconnectNow);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState !== "visible") return;
    reconnectNow();
    // A connection that died while the computer slept may not have noticed yet.
    refreshSoon();
  });
}

export function refetch(): void {
  void loadList();
  void loadInfo();
  void loadTags();
  recheckOpened();
}

function applyGathered(): void {
  const events = gathered;
  gathered = [];
  gatherMs = events.length > FLOOD_EVENTS ? FLOOD_GATHER_MS : GATHER_MS;
  batch(() => applyEvents(events));
}

/** Runs of the same kind are applied together. */
export function applyEvents(events: readonly NumberedEvent[]): void {
  for (let start = 0; start < events.length; ) {
    const type = events[start]?.type;
    let end = start + 1;
    while (events[end]?.type === type) end++;
    const run = events.slice(start, end);
    if (type === "message:new") receive(run);
    else if (type === "message:delete") forget(run);
    else if (type === "messages:clear") clear();
    else change(run);
    start = end;
  }
}

function receive(events: readonly NumberedEvent[]): void {
  const arrived = events.flatMap((event) => (event.type === "message:new" ? [event.data] : []));
  for (const event of events) {
    if (event.type !== "message:new") continue;
    countEvent(event.seq ?? 0, 1, event.data.is_read ? 0 : 1);
    putMail(event.data);
  }
  if (arrived.some(({ tags }) => tags.length > 0)) reloadTagsSoon();
  announceMail(arrived);
  const ids = arrived.map(({ id }) => id);
  insertNew(ids);
  // In a flood nothing stands out, so nothing lights up.
  if (ids.length <= FLOOD_EVENTS) lightUp(ids);
}

function lightUp(ids: readonly string[]): void {
  fresh.value = new Set([...fresh.peek(), ...ids]);
  setTimeout(() => {
    fresh.value = new Set([...fresh.peek()].filter((id) => !ids.includes(id)));
  }, FRESH_MS);
}

function change(events: readonly NumberedEvent[]): void {
  for (const event of events) {
    if (event.type === "messages:clear" || event.type === "message:new") continue;
    const { id, ...change } = event.data;
    const unread = patchMail(id, change);
    if (event.type === "message:read" && unread === undefined) recountSoon();
    if (unread) countEvent(event.seq ?? 0, 0, unread);
    if (event.type === "message:tags") reloadTagsSoon();
  }
  if (isFiltered.peek()) upset();
}

function forget(events: readonly NumberedEvent[]): void {
  const ids = events.flatMap((event) => (event.type === "message:delete" ? [event.data.id] : []));
  for (const event of events) {
    if (event.type !== "message:delete" || gone.peek().has(event.data.id)) continue;
    const mail = mailOf(event.data.id)?.peek();
    countEvent(event.seq ?? 0, -1, mail && !mail.is_read ? -1 : 0);
    if (!mail) recountSoon();
  }
  const removed = new Set(ids);
  removeGone(removed);
  unhideMails(removed);
  unselect(removed);
  forgetMails(removed);
  fullMessage.forget(ids.filter((id) => id !== openedId.peek()));
  reloadTagsSoon();
}

function clear(): void {
  const opened = openedId.peek();
  clearList();
  if (opened) gone.value = new Map([...gone.peek(), [opened, performance.now()]]);
  clearSelection();
  unhideMails(hidden.peek());
  fullMessage.forgetOthers(opened);
  forgetAllMails();
  countNothing();
  reloadTagsSoon();
}
