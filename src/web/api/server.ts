// The routes beside those of messages, typed. Nothing here keeps state.
import type {
  Fault,
  FaultList,
  FaultRule,
  RejectionList,
  RelayOutcome,
  Transcript,
} from "../../model/index.ts";
import { getJson, request, sendJson } from "./client.ts";

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
