// Applies the server's events to the state. After a lost connection the missed events follow. If
// some are lost for good, everything is fetched again. Events are gathered for a moment, so that
// thousands of mails in a second cost a few redraws.
import { batch, signal } from "@preact/signals";
import type { NumberedEvent } from "../api/index.ts";
import * as api from "../api/index.ts";
import { clearList, forgetUsed, gone, insertNew, loadList, refreshSoon, removeGone } from "./list.ts";
import { forgetMails, hidden, patchMail, putMail, unhideMails } from "./mails.ts";
import { announceMail } from "./notifications.ts";
import { fullMessage, recheckOpened } from "./opened.ts";
import { isInboxGone, tryNow } from "./requests.ts";
import { isFiltered, openedId } from "./route.ts";
import { clearSelection, unselect } from "./selection.ts";
import { loadInfo, loadTags, recountSoon, reloadTagsSoon } from "./service.ts";

const GATHER_MS = 30;
/** In a flood the page redraws less often, so that scrolling stays smooth. */
const FLOOD_EVENTS = 20;
const FLOOD_GATHER_MS = 250;
const TOO_SLOW = 1013;
const INBOX_REMOVED = 4004;
/** Mailkeep's own close codes begin here. After any of them, everything is fetched again. */
const OWN_CODES = 4000;

export const liveState = signal<"connecting" | "live" | "reconnecting">("connecting");

let gathered: NumberedEvent[] = [];
let gatherMs = GATHER_MS;
let socket: WebSocket | undefined;
let retry: ReturnType<typeof setTimeout> | undefined;
let failures = 0;
/** The number of the last event that the page knows; undefined if it may have missed some. */
let lastSeq: number | undefined;

export function startLive(seq: number | undefined): void {
  lastSeq = seq;
  connect();
  window.addEventListener("online", reconnectNow);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState !== "visible") return;
    reconnectNow();
    // The connection may have died unnoticed while the computer slept.
    refreshSoon();
  });
}

function connect(): void {
  clearTimeout(retry);
  liveState.value = failures === 0 ? "connecting" : "reconnecting";
  const opened = api.openEvents(lastSeq);
  socket = opened;
  opened.onmessage = ({ data }) => onEvent(JSON.parse(String(data)) as NumberedEvent);
  opened.onclose = ({ code }) => {
    if (opened === socket) onClose(code);
  };
  opened.onopen = () => {
    failures = 0;
    isInboxGone.value = false;
    tryNow();
    liveState.value = "live";
    if (lastSeq === undefined) refetch();
  };
}

export function reconnectNow(): void {
  if (socket && socket.readyState >= WebSocket.CLOSING) connect();
  tryNow();
}

function onEvent(event: NumberedEvent): void {
  const { seq } = event;
  const hasGap = seq !== undefined && lastSeq !== undefined && api.isGap(lastSeq, seq);
  lastSeq = seq ?? lastSeq;
  gathered.push(event);
  if (gathered.length === 1) setTimeout(applyGathered, gatherMs);
  if (hasGap) refetch();
}

function onClose(code: number): void {
  // If the inbox was not removed on this page, the reloaded page says that it does not exist.
  if (code === INBOX_REMOVED) api.isOwnRemoved() ? location.replace(api.HOME) : location.reload();
  if (code === TOO_SLOW || code >= OWN_CODES) lastSeq = undefined;
  failures++;
  liveState.value = "reconnecting";
  if (isInboxGone.peek()) return;
  if (failures > 1) {
    // If a proxy blocks the event stream, the page polls.
    refreshSoon();
    recountSoon();
    recheckOpened();
  }
  retry = setTimeout(connect, api.reconnectDelay(failures));
}

export function refetch(): void {
  forgetUsed();
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
