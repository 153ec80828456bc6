// Everything fetched about a single message, and what was decided for it on this page.
import { effect, signal } from "@preact/signals";
import type { Message } from "../../model/index.ts";
import { asFailure } from "../api/client.ts";
import {
  countBlockedImages,
  getAttachments,
  getAuthResults,
  getHeaders,
  getLinks,
  getMessage,
  hasTextPart,
} from "../api/messages.ts";
import { getSource } from "../api/source.ts";
import { resource } from "./resource.ts";
import { openedId } from "./route.ts";
import { putRow, wasChangedSince } from "./rows.ts";
import { renewable } from "./until-answered.ts";
import { ids, removeFromView } from "./view.ts";

export const fullMessage = resource(loadMessage);
export const headersOf = resource(async (id, unwanted) => (await getHeaders(id, unwanted)).headers);
export const attachmentsOf = resource(
  async (id, unwanted) => (await getAttachments(id, unwanted)).attachments,
);
export const hasTextPartOf = resource(hasTextPart);
export const linksOf = resource(async (id, unwanted) => (await getLinks(id, unwanted)).links);
export const authResultsOf = resource(getAuthResults);
export const blockedImagesOf = resource(countBlockedImages);
export const sourceOf = resource((id, unwanted) => getSource(id, "beginning", unwanted));
export const wholeSourceOf = resource((id, unwanted) => getSource(id, "all", unwanted));

/** Messages that do not exist, or no longer: deleted elsewhere, by retention, or here, where there may still be an undo. */
export const vanished = signal<ReadonlySet<string>>(new Set());
/** Messages whose remote images were allowed. */
export const remoteAllowed = signal<ReadonlySet<string>>(new Set());

let openedAt = 0;
effect(() => {
  openedId.value;
  openedAt = performance.now();
});

/** Whether somebody has decided, since the message was opened, that it is read or unread. */
export const isReadDecided = (id: string): boolean => wasChangedSince(id, "is_read", openedAt);

export function noteVanished(ids: Iterable<string>): void {
  vanished.value = new Set([...vanished.peek(), ...ids]);
}

/** Mail that was taken for gone with all other mail came after that was deleted. */
export function noteThere(ids: readonly string[]): void {
  const there = new Set(ids);
  if (ids.some((id) => vanished.peek().has(id))) {
    vanished.value = new Set([...vanished.peek()].filter((id) => !there.has(id)));
  }
}

export function allowRemote(id: string): void {
  remoteAllowed.value = new Set([...remoteAllowed.peek(), id]);
}

/** After events were missed: the opened message may be gone, and so may those that were opened before. */
export function recheckOpened(): void {
  fullMessage.forgetOthers(openedId.peek());
  void askForOpened();
}

/** Whether it is still there. */
export const askForOpened = renewable(async () => {
  const id = openedId.peek();
  if (id) await loadMessage(id);
});

async function loadMessage(id: string, unwanted?: AbortSignal): Promise<Message> {
  const askedAt = performance.now();
  try {
    const message = await getMessage(id, unwanted);
    const { text_body: _text, html_body: _html, ...summary } = message;
    putRow(summary, askedAt);
    return message;
  } catch (error) {
    if (asFailure(error).status === 404) {
      noteVanished([id]);
      // Of mail that was gone before the page was told of anything again, no event tells.
      if (ids.peek().includes(id)) removeFromView(new Set([id]));
    }
    throw error;
  }
}
