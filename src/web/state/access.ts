// Who looks at the page, what they may do, and the inboxes that they may see.
import { effect, signal } from "@preact/signals";
import type { InboxState, Me } from "../../model/index.ts";
import { endSession, getMe, listInboxes } from "../api/server.ts";
import { soon, untilAnswered } from "./requests.ts";
import { totalCount, unreadCount } from "./service.ts";
import { attempt } from "./toasts.ts";

const RELOAD_MS = 100;
const RELOAD_EVERY_MS = 3000;

/** Until it is known, everything is offered; the server refuses what is not allowed. */
export const me = signal<Me | undefined>(undefined);
export const inboxes = signal<readonly InboxState[]>([]);

/** Signed out here, a moment ago. */
export const hasLeft = signal(false);

const wanted = new AbortController().signal;

export const mayWrite = () => me.value?.role !== "read";
export const mayAdminister = () => me.value === undefined || (me.value.role === "admin" && !me.value.inboxes);
/** Rules for inboxes of one's own touch nobody else. */
export const mayMakeFaults = () => (me.value?.inboxes ? mayWrite() : mayAdminister());

export async function loadMe(): Promise<void> {
  me.value = await untilAnswered(getMe, wanted).catch(() => undefined);
}

export async function loadInboxes(): Promise<void> {
  const answer = await untilAnswered(listInboxes, wanted).catch(() => undefined);
  if (answer) inboxes.value = answer.inboxes;
}

const reloadInboxesSoon = soon(loadInboxes, RELOAD_MS, RELOAD_EVERY_MS);

/** Events do not tell which inbox they are about. */
export function followInboxes(): void {
  effect(() => {
    if (totalCount.value !== undefined && unreadCount.value >= 0) reloadInboxesSoon();
  });
}

export async function signOut(): Promise<void> {
  if (await attempt("Not signed out", endSession())) hasLeft.value = true;
}
