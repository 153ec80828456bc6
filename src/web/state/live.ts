// Connects the event stream to the state. Events are gathered for a moment and applied together,
// so that ten thousand mails in a second cost a few redraws.
import { batch, signal } from "@preact/signals";
import { LiveSocket, type LiveState, type NumberedEvent } from "../api/index.ts";
import { clearList, gone, insertNew, loadList, refreshSoon, removeGone } from "./list.ts";
import { forgetMails, hidden, patchMail, putMail, unhideMails } from "./mails.ts";
import { announceMail } from "./notifications.ts";
import { fullMessage, recheckOpened } from "./opened.ts";
import { tryNow } from "./requests.ts";
import { isFiltered, openedId } from "./route.ts";
import { clearSelection, unselect } from "./selection.ts";
import { loadInfo, loadTags, recountSoon, reloadTagsSoon } from "./service.ts";

const GATHER_MS = 30;
/** In a flood the page redraws less often, so that scrolling stays smooth. */
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
    // If a proxy blocks the event stream, the page polls.
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
    // The connection may have died unnoticed while the computer slept.
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

/** Applies new mail, then changes, then deletions. That is safe: a deleted id never comes back. */
function applyEvents(events: readonly NumberedEvent[]): void {
  const cleared = events.findLastIndex(({ type }) => type === "messages:clear");
  if (cleared !== -1) clear();
  const of = <T extends NumberedEvent["type"]>(...types: T[]) =>
    events
      .slice(cleared + 1)
      .filter((event): event is EventOf<T> => types.some((type) => type === event.type));
  receive(of("message:new"));
  change(of("message:read", "message:starred", "message:tags"));
  forget(of("message:delete"));
}

function receive(events: readonly EventOf<"message:new">[]): void {
  if (events.length === 0) return;
  const arrived = events.map(({ data }) => data);
  for (const mail of arrived) putMail(mail);
  recountSoon();
  if (arrived.some(({ tags }) => tags.length > 0)) reloadTagsSoon();
  announceMail(arrived);
  insertNew(arrived.map(({ id }) => id));
}

function change(events: readonly EventOf<"message:read" | "message:starred" | "message:tags">[]): void {
  if (events.length === 0) return;
  for (const { type, data } of events) {
    const { id, ...change } = data;
    patchMail(id, change);
    if (type === "message:tags") reloadTagsSoon();
  }
  recountSoon();
  if (isFiltered.peek()) refreshSoon();
}

function forget(events: readonly EventOf<"message:delete">[]): void {
  if (events.length === 0) return;
  const removed = new Set(events.map(({ data }) => data.id));
  removeGone(removed);
  unselect(removed);
  fullMessage.forgetOthers(openedId.peek());
  forgetMails(removed);
  // Hidden mail is subtracted from the counts, so it stays hidden until the new counts are there.
  void loadInfo().then(() => unhideMails(removed));
  reloadTagsSoon();
}

function clear(): void {
  const opened = openedId.peek();
  clearList();
  if (opened) gone.value = new Map([...gone.peek(), [opened, performance.now()]]);
  clearSelection();
  unhideMails(hidden.peek());
  fullMessage.forgetOthers(opened);
  forgetMails();
  recountSoon();
  reloadTagsSoon();
}
