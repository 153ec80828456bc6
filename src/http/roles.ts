// The role that each operation needs. An operation that is not in this table needs the strongest one, so a new route is
// never open by mistake.
import type { Caller, Role } from "../model/index.ts";
import { Problem } from "./problem.ts";

/** `inbox`: writers may do it in their own inboxes, for all mail only admins. */
type Need = Role | "inbox";

export const NEEDS: Readonly<Record<string, Need>> = {
  listMessages: "read",
  listTags: "read",
  getMessage: "read",
  getMessageHeaders: "read",
  getMessageText: "read",
  getMessageHtml: "read",
  getMessageLinks: "read",
  getMessageCodes: "read",
  getAuthResults: "read",
  getRawMessage: "read",
  exportMessage: "read",
  exportMessages: "read",
  listAttachments: "read",
  getAttachment: "read",
  downloadAttachments: "read",
  getAttachedMessageHtml: "read",
  getInlineImage: "read",
  waitForMessage: "read",
  getLatestMessage: "read",
  assertCount: "read",
  checkMessage: "read",
  checkMessageWithRecords: "read",
  getRelayOutcome: "read",
  getTranscript: "read",
  listRejections: "read",
  getRejectionTranscript: "read",
  listFaults: "read",
  streamEvents: "read",
  getInfo: "read",
  getHealth: "read",
  getMe: "read",
  listWebhooks: "read",
  getMetrics: "read",
  getOpenApiYaml: "read",
  getOpenApiJson: "read",

  updateMessage: "write",
  updateMessages: "write",
  deleteMessage: "write",
  deleteMessages: "write",
  releaseMessage: "write",
  sendMessage: "write",

  replaceFaults: "inbox",
  addFault: "inbox",
  deleteFaults: "inbox",
  deleteFault: "inbox",

  listInboxes: "read",
  putInbox: "admin",
  deleteInbox: "admin",
  listTokens: "admin",
  createToken: "admin",
  deleteToken: "admin",
};

const RANKS: Readonly<Record<Role, number>> = { read: 0, write: 1, admin: 2 };

/** Throws unless the caller may do this. An admin of some inboxes is a writer there. */
export function assertMay({ role, inboxes }: Caller, operationId: string): void {
  const need = NEEDS[operationId] ?? "admin";
  const needed: Role = need === "inbox" ? (inboxes === null ? "admin" : "write") : need;
  const held: Role = role === "admin" && inboxes !== null ? "write" : role;
  if (RANKS[held] < RANKS[needed]) throw forbidden(needed, held);
}

const forbidden = (needed: Role, held: Role) =>
  new Problem(403, "forbidden", `This needs the role ${needed}; these credentials have the role ${held}.`);
