// What the server says about itself: its version, where it takes mail, how much it holds, which tags are in use.
import { computed, signal } from "@preact/signals";
import { unbracketed } from "../../lib/host-and-port.ts";
import type { ServiceInfo, TagList } from "../../model/index.ts";
import { getInfo, getTags } from "../api/messages.ts";
import { hidden, mailOf } from "./mails.ts";
import { soon, untilAnswered } from "./requests.ts";

const RECOUNT_MS = 300;
const RECOUNT_EVERY_MS = 1000;

interface Counts {
  readonly total: number;
  readonly unread: number;
}

export const service = signal<ServiceInfo | undefined>(undefined);
export const tags = signal<TagList["tags"]>([]);
/** The server's counts; unknown until it has said them. */
const counts = signal<Counts | undefined>(undefined);
export const totalCount = computed(() => counts.value && Math.max(0, counts.value.total - hidden.value.size));
export const unreadCount = computed(() => {
  const hiddenUnread = [...hidden.value].filter((id) => mailOf(id)?.peek().is_read === false).length;
  return Math.max(0, (counts.value?.unread ?? 0) - hiddenUnread);
});

export const canRelease = () => service.value?.release_enabled !== false;

const wanted = new AbortController().signal;

export async function loadInfo(): Promise<ServiceInfo | undefined> {
  const info = await untilAnswered(getInfo, wanted).catch(() => undefined);
  if (!info) return undefined;
  service.value = info;
  counts.value = info.messages;
  return info;
}

export const recountSoon = soon(async () => void (await loadInfo()), RECOUNT_MS, RECOUNT_EVERY_MS);

/** Shown at once; soon the server's own counts are asked for. */
export function count(total: number, unread: number): void {
  const before = counts.peek();
  if (before) counts.value = { total: before.total + total, unread: before.unread + unread };
  recountSoon();
}

export async function loadTags(): Promise<void> {
  const answer = await untilAnswered(getTags, wanted).catch(() => undefined);
  if (answer) tags.value = answer.tags;
}

export const reloadTagsSoon = soon(loadTags, RECOUNT_MS, RECOUNT_EVERY_MS);

/** Where a client on this machine or network reaches the SMTP server, once known; the host without brackets. */
export function smtpAddress(): { host: string; port: number } | undefined {
  if (!service.value) return undefined;
  const { host, port } = service.value.smtp;
  const isEverywhere = host === "0.0.0.0" || host === "::" || host === "";
  return { host: isEverywhere ? unbracketed(location.hostname) : host, port };
}
