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
import { count, loadInfo, loadTags, recountSoon, reloadTagsSoon } from "./service.ts";

const GATHER_MS = 30;
/** After so many at once, more will follow: redrawing less often leaves time to scroll and read. */
const FLOOD_EVENTS = 20;
const FLOOD_GATHER_MS = 250;

export const liveState = signal<LiveState>("connecting");

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

type EventOf<T extends NumberedEvent["type"]> = Extract<NumberedEvent, { type: T }>;

const isOf =
  <T extends NumberedEvent["type"]>(...types: T[]) =>
  (event: NumberedEvent): event is EventOf<T> =>
    types.some((type) => type === event.type);

function applyEvents(events: readonly NumberedEvent[]): void {
  for (let start = 0, end = 0; start < events.length; start = end) {
    while (events[end]?.type === events[start]?.type && end < events.length) end++;
    const run = events.slice(start, end);
    const [first] = run;
    if (first?.type === "messages:clear") clear();
    else if (first?.type === "message:new") receive(run.filter(isOf("message:new")));
    else if (first?.type === "message:delete") forget(run.filter(isOf("message:delete")));
    else change(run.filter(isOf("message:read", "message:starred", "message:tags")));
  }
}

function receive(events: readonly EventOf<"message:new">[]): void {
  const arrived = events.map(({ data }) => data);
  for (const mail of arrived) putMail(mail);
  count(arrived.length, arrived.filter(({ is_read }) => !is_read).length);
  if (arrived.some(({ tags }) => tags.length > 0)) reloadTagsSoon();
  announceMail(arrived);
  insertNew(arrived.map(({ id }) => id));
}

function change(events: readonly EventOf<"message:read" | "message:starred" | "message:tags">[]): void {
  for (const { type, data } of events) {
    const { id, ...change } = data;
    const unread = patchMail(id, change);
    if (type === "message:read") count(0, unread ?? 0);
    if (type === "message:tags") reloadTagsSoon();
  }
  if (isFiltered.peek()) upset();
}

function forget(events: readonly EventOf<"message:delete">[]): void {
  const removed = new Set(events.map(({ data }) => data.id));
  const untold = [...removed].filter((id) => !gone.peek().has(id));
  count(-untold.length, -untold.filter((id) => mailOf(id)?.peek().is_read === false).length);
  removeGone(removed);
  unhideMails(removed);
  unselect(removed);
  forgetMails(removed);
  fullMessage.forget([...removed].filter((id) => id !== openedId.peek()));
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
  recountSoon();
  reloadTagsSoon();
}
