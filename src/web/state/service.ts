// What the server says about itself: its version, where it takes mail, and how much it holds.
import { signal } from "@preact/signals";
import { unbracketed } from "../../lib/host-and-port.ts";
import type { ServiceInfo } from "../../model/index.ts";
import { getJson } from "../api/client.ts";
import { countUndoable } from "./pending-deletes.ts";
import { renewable } from "./until-answered.ts";

/** Longer than it takes to hear of the next mail in a flood. */
const RECOUNT_DELAY_MS = 500;
const RECOUNT_AT_LATEST_MS = 3000;

export const service = signal<ServiceInfo | undefined>(undefined);
/** Unknown until the server has said it. */
export const totalCount = signal<number | undefined>(undefined);
export const unreadCount = signal(0);

export const canRelease = () => service.value?.release_enabled !== false;

let timer: ReturnType<typeof setTimeout> | undefined;
let recountBy: number | undefined;

export const loadService = renewable(
  () => getJson<ServiceInfo>("/info"),
  (info) => {
    const gone = countUndoable();
    service.value = info;
    showCounts(info.messages.total - gone.total, info.messages.unread - gone.unread);
  },
);

/** Asks the server for the numbers soon; many reasons at once cost one request, also when they do not end. */
export function recountSoon(): void {
  const now = performance.now();
  recountBy ??= now + RECOUNT_AT_LATEST_MS;
  clearTimeout(timer);
  timer = setTimeout(recount, Math.min(RECOUNT_DELAY_MS, recountBy - now));
}

function recount(): void {
  recountBy = undefined;
  void loadService();
}

/** The server is asked afterwards: an answer under way may be older than this, or have counted it already. */
export function countBy(total: number, unread: number): void {
  const known = totalCount.peek();
  if (known !== undefined) showCounts(known + total, unreadCount.peek() + unread);
  recountSoon();
}

/** Of mail scrolled far away the page no longer knows whether it was read, so its own count may be too high. */
function showCounts(total: number, unread: number): void {
  totalCount.value = Math.max(0, total);
  unreadCount.value = Math.max(0, Math.min(total, unread));
}

/** An answer under way may have been counted before. */
export function countNothing(): void {
  totalCount.value = 0;
  unreadCount.value = 0;
  recountSoon();
}

/** Where a client on this machine or network reaches the SMTP server, once known; the host without brackets. */
export function smtpAddress(): { host: string; port: number } | undefined {
  if (!service.value) return undefined;
  const { host, port } = service.value.smtp;
  const isEverywhere = host === "0.0.0.0" || host === "::" || host === "";
  return { host: isEverywhere ? unbracketed(location.hostname) : host, port };
}
