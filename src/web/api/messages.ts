// The message routes, typed. Nothing here keeps state.
import type {
  Attachment,
  AttachmentList,
  AuthResults,
  BulkDeleted,
  BulkUpdated,
  DeletedCount,
  HeaderList,
  LinkList,
  Message,
  MessageChange,
  MessageList,
  MessageSummary,
  TagList,
} from "../../model/index.ts";
import { readSearch } from "../format/search-terms.ts";
import { apiUrl, getJson, request, sendJson } from "./client.ts";

/** What the list shows: everything given must hold. */
export interface ListFilter {
  readonly q: string;
  readonly unread: boolean;
  readonly starred: boolean;
  readonly attachments: boolean;
  readonly tags: readonly string[];
}

export type PageStart = { readonly before: string } | { readonly offset: number };

/** The filter as the page's address has it: what was typed stays as it was typed. */
export function listParameters(filter: ListFilter): URLSearchParams {
  const parameters = new URLSearchParams();
  if (filter.q.trim() !== "") parameters.set("q", filter.q);
  if (filter.unread) parameters.set("unread", "true");
  if (filter.starred) parameters.set("starred", "true");
  if (filter.attachments) parameters.set("has_attachments", "true");
  for (const tag of filter.tags) parameters.append("tag", tag);
  return parameters;
}

/** The filter as the server understands it. */
export function askedParameters(filter: ListFilter): URLSearchParams {
  const { text, filters } = readSearch(filter.q);
  const parameters = listParameters({ ...filter, q: text });
  for (const [name, value] of filters) parameters.append(name, value);
  return parameters;
}

export function listMessages(filter: ListFilter, from: PageStart, limit: number, signal: AbortSignal) {
  const parameters = askedParameters(filter);
  parameters.set("include", "preview");
  parameters.set("limit", String(limit));
  if ("before" in from) parameters.set("before", from.before);
  else if (from.offset > 0) parameters.set("offset", String(from.offset));
  return getJson<MessageList>(`/messages?${parameters}`, signal);
}

/** How many of the list stand before this message. */
export async function countNewer(filter: ListFilter, id: string, signal: AbortSignal): Promise<number> {
  const parameters = askedParameters(filter);
  parameters.set("since", id);
  parameters.set("limit", "1");
  return (await getJson<MessageList>(`/messages?${parameters}`, signal)).total;
}

export const getMessage = (id: string, signal?: AbortSignal) =>
  getJson<Message>(`/messages/${id}?include=preview`, signal);
export const getHeaders = (id: string, signal: AbortSignal) =>
  getJson<HeaderList>(`/messages/${id}/headers?include=addresses`, signal);
export const getAttachments = (id: string, signal: AbortSignal) =>
  getJson<AttachmentList>(`/messages/${id}/attachments`, signal);
export const getLinks = (id: string, signal: AbortSignal) =>
  getJson<LinkList>(`/messages/${id}/links`, signal);
export const getAuthResults = (id: string, signal: AbortSignal) =>
  getJson<AuthResults>(`/messages/${id}/auth`, signal);

/** How many images of its HTML would come from other servers. */
export async function countBlockedImages(id: string, signal: AbortSignal): Promise<number> {
  const { headers } = await request(`/messages/${id}/html`, { method: "HEAD", signal });
  return Number(headers.get("Mailkeep-Blocked-Remote"));
}

/** Whether it has a text part, not only text made from its HTML. */
export async function hasTextPart(id: string, signal: AbortSignal): Promise<boolean> {
  const { headers } = await request(`/messages/${id}/text`, { method: "HEAD", signal });
  return headers.get("Mailkeep-Text-Part") === "true";
}

export const getTags = () => getJson<TagList>("/tags");

/** The server takes this many ids at once. */
const BULK_IDS = 1000;

async function inBulks(ids: readonly string[], send: (some: readonly string[]) => Promise<unknown>) {
  for (let start = 0; start < ids.length; start += BULK_IDS) await send(ids.slice(start, start + BULK_IDS));
}

/** Answers how many of the messages no longer exist. */
export async function changeMessages(ids: readonly string[], change: MessageChange): Promise<number> {
  let missing = 0;
  await inBulks(ids, async (some) => {
    const { not_found } = await sendJson<BulkUpdated>("PATCH", "/messages", { ids: some, ...change });
    missing += not_found.length;
  });
  return missing;
}

/** The messages as they are, those that still exist: what a change of nothing answers. */
export async function getSummaries(ids: readonly string[]): Promise<MessageSummary[]> {
  const found: MessageSummary[] = [];
  await inBulks(ids, async (some) => {
    const { messages } = await sendJson<BulkUpdated>("PATCH", "/messages", { ids: some });
    found.push(...messages);
  });
  return found;
}

/** Answers which of the messages were gone already. */
export async function deleteMessages(ids: readonly string[]): Promise<string[]> {
  const missing: string[] = [];
  await inBulks(ids, async (some) => {
    const { not_found } = await sendJson<BulkDeleted>("DELETE", "/messages", { ids: some });
    missing.push(...not_found);
  });
  return missing;
}

/** Two full bulks fit what a browser sends for a page that is gone. */
export const MOST_ON_LEAVING = 2 * BULK_IDS;

/** All requests at once: a page that is left sends nothing after an answer, and hears none. */
export function deleteOnLeaving(ids: readonly string[]): void {
  for (let start = 0; start < ids.length; start += BULK_IDS) {
    const some = ids.slice(start, start + BULK_IDS);
    sendJson<BulkDeleted>("DELETE", "/messages", { ids: some }, true).catch(() => undefined);
  }
}

export const deleteAllMessages = () => sendJson<DeletedCount>("DELETE", "/messages");

const attachmentPath = ({ message_id, id }: Attachment) => `/messages/${message_id}/attachments/${id}`;

export const getAttachmentBytes = async (attachment: Attachment): Promise<ArrayBuffer> =>
  (await request(attachmentPath(attachment))).arrayBuffer();

export const rawUrl = (id: string) => apiUrl(`/messages/${id}/raw`);
export const emlUrl = (id: string) => apiUrl(`/messages/${id}/export?format=eml`);
export const attachmentUrl = (attachment: Attachment) => apiUrl(attachmentPath(attachment));
export const htmlUrl = (id: string, scheme: "light" | "dark", remote: boolean) =>
  apiUrl(`/messages/${id}/html?scheme=${scheme}${remote ? "&remote=true" : ""}`);
