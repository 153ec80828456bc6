// Information from the server: about itself, the user, inboxes and tags.
import { computed, effect, signal } from "@preact/signals";
import { unbracketed } from "../../lib/hosts.ts";
import type { InboxState, Me, ServiceInfo, TagList } from "../../model/index.ts";
import { endSession, getInfo, getMe, getTags, listInboxes } from "../api/index.ts";
import { hidden, mailOf } from "./mails.ts";
import { isInboxGone, soon, untilAnswered } from "./requests.ts";
import { attempt } from "./toasts.ts";

export const service = signal<ServiceInfo | undefined>(undefined);
export const tags = signal<TagList["tags"]>([]);
/** The server's count without mail just deleted on this page. Undefined before its first answer. */
export const totalCount = computed(
  () => service.value && Math.max(0, service.value.messages.total - hidden.value.size),
);
export const unreadCount = computed(() => {
  const hiddenUnread = [...hidden.value].filter((id) => mailOf(id)?.peek().is_read === false).length;
  return Math.max(0, (service.value?.messages.unread ?? 0) - hiddenUnread);
});

const wanted = new AbortController().signal;

/** If the server refuses, the last answer stays. */
const keeping =
  <T>(ask: () => Promise<T>, keep: (answer: T) => unknown) =>
  async (): Promise<T | undefined> => {
    const answer = await untilAnswered(ask, wanted).catch(() => undefined);
    if (answer) keep(answer);
    return answer;
  };

export const loadInfo = keeping(getInfo, (info) => (service.value = info));
export const recountSoon = soon(loadInfo);

export const loadTags = keeping(getTags, (answer) => (tags.value = answer.tags));
export const reloadTagsSoon = soon(loadTags);

/**
 * The SMTP server's address as seen from this computer. An IPv6 host has no brackets. Undefined
 * until the server has answered.
 */
export function smtpAddress(): { host: string; port: number } | undefined {
  if (!service.value) return undefined;
  const { host, port } = service.value.smtp;
  const isEverywhere = host === "0.0.0.0" || host === "::" || host === "";
  return { host: isEverywhere ? unbracketed(location.hostname) : host, port };
}

/** While the user is unknown, the page offers everything. The server refuses what is forbidden. */
export const me = signal<Me | undefined>(undefined);
export const inboxes = signal<readonly InboxState[]>([]);

export const hasLeft = signal(false);

export const mayWrite = () => me.value?.role !== "read";
export const mayAdminister = () => me.value === undefined || (me.value.role === "admin" && !me.value.inboxes);
/** Fault rules of a user with only some inboxes apply only to these, so no admin is needed. */
export const mayMakeFaults = () => (me.value?.inboxes ? mayWrite() : mayAdminister());

export const loadMe = keeping(getMe, (answer) => (me.value = answer));
export const loadInboxes = keeping(listInboxes, (answer) => (inboxes.value = answer.inboxes));
const reloadInboxesSoon = soon(loadInboxes);

/** Reloads all inboxes after a change, because events do not name their inbox. */
export function followInboxes(): void {
  effect(() => {
    if (isInboxGone.value || (totalCount.value !== undefined && unreadCount.value >= 0)) reloadInboxesSoon();
  });
}

export async function signOut(): Promise<void> {
  if (await attempt("Not signed out", endSession())) hasLeft.value = true;
}
