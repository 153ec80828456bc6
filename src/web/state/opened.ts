// Everything that was fetched about a single message, and its tab.
import { signal } from "@preact/signals";
import type { Message } from "../../model/index.ts";
import * as api from "../api/index.ts";
import { type MessageParts, TABS, type Tab } from "../api/index.ts";
import { gone, removeGone } from "./list.ts";
import { hidden, putMail } from "./mails.ts";
import { resource } from "./requests.ts";
import { navigate, openedId, route } from "./route.ts";
import { chosenTab, remoteImages } from "./settings.ts";

export const fullMessage = resource(loadMessage);
const partOf = <P extends keyof MessageParts>(part: P) =>
  resource((id, unwanted) => api.getPart(id, part, unwanted));
export const headersOf = partOf("headers?include=addresses");
export const attachmentsOf = partOf("attachments");
export const checksOf = partOf("checks");
export const codesOf = partOf("codes");
export const linksOf = partOf("links");
export const transcriptOf = partOf("transcript");
export const hasTextPartOf = resource(api.hasTextPart);
export const blockedImagesOf = resource(api.countBlockedImages);
export const sourceOf = resource((id, unwanted) => api.getSource(id, "beginning", unwanted));
export const wholeSourceOf = resource((id, unwanted) => api.getSource(id, "all", unwanted));

const remoteAllowed = signal<ReadonlySet<string>>(new Set());

export const isRemoteAllowed = (id: string) => remoteImages.value === "always" || remoteAllowed.value.has(id);

export function allowRemote(id: string): void {
  remoteAllowed.value = new Set([...remoteAllowed.peek(), id]);
}

export const offeredTabs = (message: Message): Tab[] =>
  TABS.filter((tab) => {
    if (tab === "html") return message.html_body !== "";
    return tab !== "attachments" || message.has_attachments;
  });

export function currentTab(message: Message): Tab {
  const offered = offeredTabs(message);
  const wanted = [route.value.tab, chosenTab.value].map((name) => offered.find((tab) => tab === name));
  return wanted.find((tab) => tab !== undefined) ?? suitableTab(message);
}

function suitableTab(message: Message): Tab {
  if (message.html_body) return "html";
  return message.has_attachments && message.text_body.trim() === "" ? "attachments" : "text";
}

/** Keeps the choice for other messages and in the URL, unless the tab suits this message anyway. */
export function chooseTab(message: Message, tab: Tab): void {
  const isSuitable = tab === suitableTab(message);
  chosenTab.value = isSuitable ? "" : tab;
  navigate({ tab: isSuitable ? undefined : tab }, "replace");
}

export function chooseTabOfOpened(index: number): void {
  const id = openedId.peek();
  const loaded = id ? fullMessage.of(id).peek() : undefined;
  const tab = TABS[index];
  if (loaded?.state === "ready" && tab && offeredTabs(loaded.value).includes(tab))
    chooseTab(loaded.value, tab);
}

export const isGone = (id: string): boolean => hidden.value.has(id) || gone.value.has(id);

/** Called when events may be missing: opened and cached messages may have been deleted. */
export function recheckOpened(): void {
  const id = openedId.peek();
  fullMessage.forgetOthers(id);
  if (id) loadMessage(id).catch(() => undefined);
}

async function loadMessage(id: string, unwanted?: AbortSignal): Promise<Message> {
  const askedAt = performance.now();
  try {
    const message = await api.getMessage(id, unwanted);
    const { text_body: _text, html_body: _html, ...summary } = message;
    putMail(summary, askedAt);
    return message;
  } catch (error) {
    if (api.asFailure(error).status === 404) removeGone(new Set([id]));
    throw error;
  }
}
