// The message routes, typed. Nothing here keeps state.
import type {
  Attachment,
  AttachmentList,
  AuthResults,
  BulkDeleted,
  BulkUpdated,
  CheckReport,
  CodeList,
  DeletedCount,
  HeaderList,
  LinkList,
  Message,
  MessageChange,
  MessageList,
  ReleaseReceipt,
  ReleaseRequest,
  ServiceInfo,
  TagList,
  Transcript,
} from "../../model/index.ts";
import { finished } from "../format/search-terms.ts";
import { type ListFilter, listParameters } from "./address.ts";
import { apiUrl, getJson, request, sendJson } from "./client.ts";

export type PageStart = { readonly before: string } | { readonly offset: number };

const askedParameters = (filter: ListFilter) => listParameters({ ...filter, q: finished(filter.q) });

export function listMessages(filter: ListFilter, from: PageStart, limit: number, signal: AbortSignal) {
  const parameters = askedParameters(filter);
  parameters.set("include", "preview");
  parameters.set("limit", String(limit));
  if ("before" in from) parameters.set("before", from.before);
  else if (from.offset > 0) parameters.set("offset", String(from.offset));
  return getJson<MessageList>(`/messages?${parameters}`, signal);
}

export async function countNewer(filter: ListFilter, id: string, signal: AbortSignal): Promise<number> {
  const parameters = askedParameters(filter);
  parameters.set("since", id);
  parameters.set("limit", "1");
  return (await getJson<MessageList>(`/messages?${parameters}`, signal)).total;
}

export const getInfo = () => getJson<ServiceInfo>("/info");
export const getTags = () => getJson<TagList>("/tags");
export const getMessage = (id: string, signal?: AbortSignal) =>
  getJson<Message>(`/messages/${id}?include=preview`, signal);

export interface MessageParts {
  readonly "headers?include=addresses": HeaderList;
  readonly attachments: AttachmentList;
  readonly auth: AuthResults;
  readonly checks: CheckReport;
  readonly codes: CodeList;
  readonly links: LinkList;
  readonly transcript: Transcript;
}

export const getPart = <P extends keyof MessageParts>(id: string, part: P, signal?: AbortSignal) =>
  getJson<MessageParts[P]>(`/messages/${id}/${part}`, signal);

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

/** The server takes this many ids at once. */
const BULK_IDS = 1000;

const inBulks = (ids: readonly string[]): (readonly string[])[] =>
  Array.from({ length: Math.ceil(ids.length / BULK_IDS) }, (_, bulk) =>
    ids.slice(bulk * BULK_IDS, (bulk + 1) * BULK_IDS),
  );

export async function changeMessages(ids: readonly string[], change: MessageChange): Promise<void> {
  for (const some of inBulks(ids))
    await sendJson<BulkUpdated>("PATCH", "/messages", { ids: some, ...change });
}

export async function deleteMessages(ids: readonly string[]): Promise<void> {
  for (const some of inBulks(ids)) await sendJson<BulkDeleted>("DELETE", "/messages", { ids: some });
}

export const deleteAllMessages = (filter: ListFilter | undefined) =>
  sendJson<DeletedCount>("DELETE", filter ? `/messages?${askedParameters(filter)}` : "/messages");

export const releaseMessage = (id: string, target: ReleaseRequest) =>
  sendJson<ReleaseReceipt>("POST", `/messages/${id}/release`, target);

/** Puts a mail into the mailbox as if it had come by SMTP. */
export const sendMail = (mail: { from: string; to: string[]; subject: string; text: string; html: string }) =>
  sendJson<unknown>("POST", "/send", mail);

const attachmentPath = ({ message_id, id }: Attachment) => `/messages/${message_id}/attachments/${id}`;

export const getAttachmentBytes = async (attachment: Attachment): Promise<ArrayBuffer> =>
  (await request(attachmentPath(attachment))).arrayBuffer();

export const emlUrl = (id: string) => apiUrl(`/messages/${id}/export?format=eml`);
export const attachmentUrl = (attachment: Attachment) => apiUrl(attachmentPath(attachment));
export const htmlUrl = (id: string, scheme: "light" | "dark", remote: boolean) =>
  apiUrl(`/messages/${id}/html?scheme=${scheme}${remote ? "&remote=true" : ""}`);

const BEGINNING_BYTES = 256 * 1024;

export interface Source {
  readonly text: string;
  /** False: there is more than `text`. */
  readonly isWhole: boolean;
}

/** Large mail is first fetched in part, so that looking at it costs little. */
export async function getSource(
  id: string,
  part: "beginning" | "all",
  signal?: AbortSignal,
): Promise<Source> {
  const headers: HeadersInit = part === "beginning" ? { Range: `bytes=0-${BEGINNING_BYTES - 1}` } : {};
  const response = await request(`/messages/${id}/raw`, { headers, ...(signal && { signal }) });
  const bytes = new Uint8Array(await response.arrayBuffer());
  const total = Number(response.headers.get("Content-Range")?.split("/")[1] ?? bytes.length);
  return { text: decodeText(bytes), isWhole: bytes.length >= total };
}

/** Mail is bytes: text that is not UTF-8 is shown byte by byte rather than as replacement marks. */
export function decodeText(bytes: Uint8Array | ArrayBuffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}
