// Typed functions for the server's routes.
import type * as Model from "../../model/index.ts";
import { finished } from "../format/search-terms.ts";
import { chunksOf } from "../format/source.ts";
import { type ListFilter, listParameters } from "./address.ts";
import { apiUrl, BASE_PATH, getJson, INBOX, request, send, sendJson } from "./client.ts";

const askedParameters = (filter: ListFilter) => listParameters({ ...filter, q: finished(filter.q) });

export function listMessages(filter: ListFilter, offset: number, limit: number, signal?: AbortSignal) {
  const parameters = askedParameters(filter);
  parameters.set("include", "preview");
  parameters.set("limit", String(limit));
  if (offset > 0) parameters.set("offset", String(offset));
  return getJson<Model.MessageList>(`/messages?${parameters}`, signal);
}

export async function countNewer(filter: ListFilter, id: string, signal: AbortSignal): Promise<number> {
  const parameters = askedParameters(filter);
  parameters.set("since", id);
  parameters.set("limit", "1");
  return (await getJson<Model.MessageList>(`/messages?${parameters}`, signal)).total;
}

export const getInfo = () => getJson<Model.ServiceInfo>("/info");
export const getTags = () => getJson<Model.TagList>("/tags");
export const getMessage = (id: string, signal?: AbortSignal) =>
  getJson<Model.Message>(`/messages/${id}?include=preview`, signal);

export interface MessageParts {
  readonly "headers?include=addresses": Model.HeaderList;
  readonly attachments: Model.AttachmentList;
  readonly checks: Model.CheckReport;
  readonly codes: Model.CodeList;
  readonly links: Model.LinkList;
  readonly transcript: Model.Transcript;
}

export const getPart = <P extends keyof MessageParts>(id: string, part: P, signal?: AbortSignal) =>
  getJson<MessageParts[P]>(`/messages/${id}/${part}`, signal);

/** How many images the server left out of the HTML because they are on other servers. */
export async function countBlockedImages(id: string, signal: AbortSignal): Promise<number> {
  const { headers } = await request(`/messages/${id}/html`, { method: "HEAD", signal });
  return Number(headers.get("Mailkeep-Blocked-Remote"));
}

/** Whether the mail has a text part, not only text made from its HTML. */
export async function hasTextPart(id: string, signal: AbortSignal): Promise<boolean> {
  const { headers } = await request(`/messages/${id}/text`, { method: "HEAD", signal });
  return headers.get("Mailkeep-Text-Part") === "true";
}

const MAX_BULK_IDS = 1000;

async function sendBulk(method: "PATCH" | "DELETE", ids: readonly string[], change?: Model.MessageChange) {
  for (const some of chunksOf(ids, MAX_BULK_IDS))
    await sendJson(method, "/messages", { ids: some, ...change });
  return true;
}

export const changeMessages = (ids: readonly string[], change: Model.MessageChange) =>
  sendBulk("PATCH", ids, change);
export const deleteMessages = (ids: readonly string[]) => sendBulk("DELETE", ids);

export const deleteAllMessages = (filter: ListFilter | undefined) =>
  sendJson<Model.DeletedCount>("DELETE", filter ? `/messages?${askedParameters(filter)}` : "/messages");

export const releaseMessage = (id: string, target: Model.ReleaseRequest) =>
  sendJson<Model.ReleaseReceipt>("POST", `/messages/${id}/release`, target);

/** Puts a mail into the mailbox as if it had come by SMTP. */
export const sendMail = (mail: { from: string; to: string[]; subject: string; text: string; html: string }) =>
  sendJson("POST", "/send", mail);

const attachmentPath = ({ message_id, id }: Model.Attachment) => `/messages/${message_id}/attachments/${id}`;

export const getAttachmentBytes = async (attachment: Model.Attachment): Promise<ArrayBuffer> =>
  (await request(attachmentPath(attachment))).arrayBuffer();

export const emlUrl = (id: string) => apiUrl(`/messages/${id}/export?format=eml`);
export const attachmentUrl = (attachment: Model.Attachment) => apiUrl(attachmentPath(attachment));
export const zipUrl = (id: string) => apiUrl(`/messages/${id}/attachments.zip`);
/** `attached`: an attachment that is a mail, to show instead of the message. */
export function htmlUrl(id: string, scheme: "light" | "dark", remote: boolean, attached?: Model.Attachment) {
  const path = attached ? attachmentPath(attached) : `/messages/${id}`;
  return apiUrl(`${path}/html?scheme=${scheme}${remote ? "&remote=true" : ""}`);
}

const BEGINNING_BYTES = 256 * 1024;

/** For a large mail the beginning is usually enough. */
export async function getSource(id: string, part: "beginning" | "all", signal?: AbortSignal) {
  const headers: HeadersInit = part === "beginning" ? { Range: `bytes=0-${BEGINNING_BYTES - 1}` } : {};
  const response = await request(`/messages/${id}/raw`, { headers, ...(signal && { signal }) });
  const bytes = new Uint8Array(await response.arrayBuffer());
  const total = Number(response.headers.get("Content-Range")?.split("/")[1] ?? bytes.length);
  return { text: decodeText(bytes), isWhole: bytes.length >= total };
}

const UTF16_MARKS: Readonly<Record<string, string>> = { "255,254": "utf-16le", "254,255": "utf-16be" };

/** Text that is neither UTF-8 nor marked as UTF-16 is read as Windows-1252. */
export function decodeText(bytes: Uint8Array | ArrayBuffer): string {
  const utf16 = UTF16_MARKS[new Uint8Array(bytes.slice(0, 2)).join()];
  if (utf16) return new TextDecoder(utf16).decode(bytes);
  try {
    // `stream` leaves out a character that is cut off at the end.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

export const listFaults = async (signal: AbortSignal) =>
  (await getJson<Model.FaultList>("/faults", signal)).rules;
export const addFault = (rule: Model.FaultRule) => sendJson("POST", "/faults", rule);
export const removeFault = (name: string) =>
  request(`/faults/${encodeURIComponent(name)}`, { method: "DELETE" });

export const listRejections = (signal: AbortSignal) =>
  getJson<Model.RejectionList>("/rejections?limit=200", signal);
export const getRejectionTranscript = (id: string, signal: AbortSignal) =>
  getJson<Model.Transcript>(`/rejections/${id}/transcript`, signal);

export const getRelayOutcome = (id: string, signal: AbortSignal) =>
  getJson<Model.RelayOutcome>(`/messages/${id}/relay`, signal);

export const getMe = () => getJson<Model.Me>("/me");
export const endSession = () => send(`${BASE_PATH}/auth/sign-out`, { method: "POST" });

const inboxPath = (name: string) => `/inboxes/${encodeURIComponent(name)}`;
export const listInboxes = () => getJson<Model.InboxList>("/inboxes");
export const createInbox = (name: string, wish: Model.InboxRequest) =>
  sendJson<Model.OpenedInbox>("PUT", inboxPath(name), wish);
let removedHere = "";
export const isOwnRemoved = () => removedHere === INBOX;
export function removeInbox(name: string): Promise<unknown> {
  removedHere = name;
  return request(inboxPath(name), { method: "DELETE" });
}

export const listTokens = async (signal: AbortSignal) =>
  (await getJson<Model.TokenList>("/tokens", signal)).tokens;
export const createToken = (wish: Model.TokenRequest) =>
  sendJson<Model.CreatedToken>("POST", "/tokens", wish);
export const revokeToken = (id: string) => request(`/tokens/${id}`, { method: "DELETE" });
