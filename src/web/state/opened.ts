// Everything fetched about a single message, and what was decided for it on this page.
import { signal } from "@preact/signals";
import type { Message } from "../../model/index.ts";
import { asFailure } from "../api/client.ts";
import {
  countBlockedImages,
  getAttachments,
  getAuthResults,
  getHeaders,
  getLinks,
  getMessage,
  getSource,
  hasTextPart,
} from "../api/messages.ts";
import { gone, removeGone } from "./list.ts";
import { hidden, putMail } from "./mails.ts";
import { resource } from "./requests.ts";
import { openedId } from "./route.ts";

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

/** Messages whose remote images were allowed. */
export const remoteAllowed = signal<ReadonlySet<string>>(new Set());

export function allowRemote(id: string): void {
  remoteAllowed.value = new Set([...remoteAllowed.peek(), id]);
}

/** It was deleted, here or elsewhere. */
export const isGone = (id: string): boolean => hidden.value.has(id) || gone.value.has(id);

/** After events were missed: the opened message may be gone, and so may those that were opened before. */
export function recheckOpened(): void {
  const id = openedId.peek();
  fullMessage.forgetOthers(id);
  if (id) loadMessage(id).catch(() => undefined);
}

async function loadMessage(id: string, unwanted?: AbortSignal): Promise<Message> {
  const askedAt = performance.now();
  try {
    const message = await getMessage(id, unwanted);
    const { text_body: _text, html_body: _html, ...summary } = message;
    putMail(summary, askedAt);
    return message;
  } catch (error) {
    if (asFailure(error).status === 404) removeGone(new Set([id]));
    throw error;
  }
}
