// Forwarding one message to a real SMTP server.
import type { ReleaseReceipt, ReleaseRequest } from "../../model/index.ts";
import { sendJson } from "./client.ts";

export const releaseMessage = (id: string, target: ReleaseRequest) =>
  sendJson<ReleaseReceipt>("POST", `/messages/${id}/release`, target);
