// Forwarding one message to a real SMTP server.
import type { ReleaseReceipt, ReleaseRequest } from "../../model/index.ts";
import { sendJson } from "./client.ts";

export async function releaseMessage(id: string, target: ReleaseRequest): Promise<ReleaseReceipt> {
  const response = await sendJson("POST", `/messages/${id}/release`, target);
  return (await response.json()) as ReleaseReceipt;
}
