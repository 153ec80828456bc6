// The routes beside those of messages, typed. Nothing here keeps state.
import type {
  CreatedToken,
  Fault,
  FaultList,
  FaultRule,
  InboxList,
  InboxRequest,
  Me,
  OpenedInbox,
  RejectionList,
  RelayOutcome,
  TokenList,
  TokenRequest,
  Transcript,
} from "../../model/index.ts";
import { BASE_PATH, getJson, request, send, sendJson } from "./client.ts";

export const listFaults = (signal: AbortSignal) => getJson<FaultList>("/faults", signal);
export const addFault = (rule: FaultRule) => sendJson<Fault>("POST", "/faults", rule);
export const removeFault = (name: string) =>
  request(`/faults/${encodeURIComponent(name)}`, { method: "DELETE" });

export const SHOWN_REJECTIONS = 200;
export const listRejections = (signal: AbortSignal) =>
  getJson<RejectionList>(`/rejections?limit=${SHOWN_REJECTIONS}`, signal);
export const getRejectionTranscript = (id: string, signal: AbortSignal) =>
  getJson<Transcript>(`/rejections/${id}/transcript`, signal);

export const getRelayOutcome = (id: string, signal: AbortSignal) =>
  getJson<RelayOutcome>(`/messages/${id}/relay`, signal);

export const getMe = () => getJson<Me>("/me");
export const endSession = () => send(`${BASE_PATH}/auth/sign-out`, { method: "POST" });

const inboxPath = (name: string) => `/inboxes/${encodeURIComponent(name)}`;
export const listInboxes = () => getJson<InboxList>("/inboxes");
export const createInbox = (name: string, wish: InboxRequest) =>
  sendJson<OpenedInbox>("PUT", inboxPath(name), wish);
export const removeInbox = (name: string) => request(inboxPath(name), { method: "DELETE" });

export const listTokens = (signal: AbortSignal) => getJson<TokenList>("/tokens", signal);
export const createToken = (wish: TokenRequest) => sendJson<CreatedToken>("POST", "/tokens", wish);
export const revokeToken = (id: string) => request(`/tokens/${id}`, { method: "DELETE" });
