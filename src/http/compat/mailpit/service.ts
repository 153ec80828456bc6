// Mailpit's routes for the service itself: sending, chaos, information and its WebSocket.
import { type Static, Type } from "@sinclair/typebox";
import { Closed, type InboxEvent, MAX_TAGS, SendRequest, Tag } from "../../../model/index.ts";
import { deliver, parseSendRequest } from "../../modules/send.ts";
import type { NumberedEvent } from "../../websocket/history.ts";
import { type Call, fields, ownFaults, type Routes } from "../route.ts";
import { summaryOf } from "./shapes.ts";

const word = Type.String();
const { from: Address } = SendRequest.properties;
const Mailbox = Closed({ Email: Address, Name: Type.Optional(word) });
const Others = fields({
  To: Type.Array(Mailbox),
  Cc: Type.Array(Mailbox),
  Bcc: Type.Array(Address),
  ReplyTo: Type.Array(Mailbox),
  Subject: word,
  Text: word,
  HTML: word,
  Headers: Type.Record(Type.String({ pattern: "^[!-9;-~]+$" }), word),
  Tags: Type.Array(Tag, { maxItems: MAX_TAGS }),
  Attachments: Type.Array(fields({ Content: word, Filename: word, ContentType: word, ContentID: word })),
});
const Given = Closed({ From: Mailbox, ...Others.properties });

const written = ({ Email, Name = "" }: Static<typeof Mailbox>) =>
  Name === "" ? Email : `"${Name.replace(/["\\]/g, "\\$&")}" <${Email}>`;

function requestOf(mail: Static<typeof Given>) {
  const { From, To = [], Cc = [], Bcc = [], ReplyTo = [], Headers = {}, Attachments = [] } = mail;
  return {
    from: written(From),
    to: To.map(written),
    cc: Cc.map(written),
    bcc: Bcc,
    subject: mail.Subject ?? "",
    text: mail.Text ?? "",
    ...(mail.HTML && { html: mail.HTML }),
    headers: ReplyTo.length === 0 ? Headers : { ...Headers, "Reply-To": ReplyTo.map(written).join(", ") },
    attachments: Attachments.map(({ Content = "", Filename = "", ContentType, ContentID }) => ({
      filename: Filename,
      // Browsers write files as data:image/png;base64,…
      content: Content.replace(/^.*,/s, ""),
      ...(ContentType && { content_type: ContentType }),
      ...(ContentID && { content_id: ContentID }),
    })),
  };
}

async function send(call: Call) {
  const given = call.sent(Given);
  const id = await deliver(parseSendRequest(requestOf(given)), call.request, call);
  const { tags = [] } = (await call.mail.get(id)) ?? {};
  if (given.Tags?.length) await call.mail.update([id], { tags: [...new Set([...tags, ...given.Tags])] });
  return { ID: id };
}

/** Chaos triggers as fault rules, which `/api/v1/faults` shows, too. */
const TRIGGERS = [
  { trigger: "Sender", name: "mailpit-sender", at: "mail", code: 451 },
  { trigger: "Recipient", name: "mailpit-recipient", at: "rcpt", code: 451 },
  { trigger: "Authentication", name: "mailpit-authentication", at: "auth", code: 535 },
] as const;
const NAMES = TRIGGERS.map(({ name }) => name);
const Trigger = fields({
  ErrorCode: Type.Integer({ minimum: 400, maximum: 599 }),
  Probability: Type.Integer({ minimum: 0, maximum: 100 }),
});
const Triggers = fields({ Sender: Trigger, Recipient: Trigger, Authentication: Trigger });

function chaosOf(call: Call) {
  const { rules } = ownFaults(call, NAMES);
  return Object.fromEntries(
    TRIGGERS.map(({ trigger, name, code }) => {
      const { probability = 0, reply = { code } } = rules.get(name) ?? {};
      return [trigger, { ErrorCode: reply.code, Probability: Math.round(100 * probability) }];
    }),
  );
}

function setChaos(call: Call) {
  const given = call.sent(Triggers);
  const rules = TRIGGERS.flatMap(({ trigger, name, at, code }) => {
    const { Probability = 0, ErrorCode = code } = given[trigger] ?? {};
    if (Probability === 0) return [];
    return [{ name, at, probability: Probability / 100, reply: { code: ErrorCode } }];
  });
  ownFaults(call, NAMES).replace(rules);
  return chaosOf(call);
}

async function infoOf({ mail, facts }: Call) {
  const { store_bytes, messages, unread } = await mail.stats();
  const tags = await mail.tags();
  return {
    Version: facts.version,
    LatestVersion: facts.version,
    Database: "",
    DatabaseSize: store_bytes,
    Messages: messages,
    Unread: unread,
    Tags: Object.fromEntries(tags.map(({ tag, count }) => [tag, count])),
    RuntimeStats: {
      Uptime: Math.floor(facts.uptimeMs() / 1000),
      Memory: process.memoryUsage.rss(),
      // Not counted, but typed clients need the fields.
      MessagesDeleted: 0,
      SMTPAccepted: 0,
      SMTPAcceptedSize: 0,
      SMTPIgnored: 0,
      SMTPRejected: 0,
    },
  };
}

const webuiOf = ({ checks, facts }: Call) => ({
  MessageRelay: {
    Enabled: facts.relay !== null,
    SMTPServer: facts.relay ? `${facts.relay.host}:${facts.relay.port}` : "",
    ReturnPath: "",
    OverrideFrom: "",
    AllowedRecipients: "",
    BlockedRecipients: "",
    RecipientAllowlist: "",
    PreserveMessageIDs: true,
  },
  Label: "",
  SpamAssassin: checks.hasSpamFilter,
  ChaosEnabled: true,
  DuplicatesIgnored: false,
  HideDeleteAllButton: false,
});

async function statsFrame({ mail, facts }: Call): Promise<string> {
  const { messages: Total, unread: Unread } = await mail.stats();
  return JSON.stringify({ Type: "stats", Data: { Total, Unread, Version: facts.version } });
}

/** Upgrades the request to a WebSocket that gets events as Mailpit's frames instead of ours. */
async function streamEvents(call: Call): Promise<void> {
  const framesOf = async ({ event }: NumberedEvent): Promise<string[]> => {
    const [Type, Data] = (await frameOf(call, event)) ?? [];
    const frame = Type ? [JSON.stringify({ Type, Data })] : [];
    return [...frame, await statsFrame(call)];
  };
  await call.events.upgrade(call.request, {
    greeting: await statsFrame(call),
    // A mail that cannot be read was most likely deleted. The event of its deletion follows.
    framesOf: (entry) => framesOf(entry).catch(() => []),
  });
}

async function frameOf(call: Call, event: InboxEvent): Promise<[type: string, data: unknown] | null> {
  if (event.type === "messages:clear") return ["truncate", null];
  const { id: ID } = event.data;
  if (event.type === "message:new") {
    const summary = await summaryOf(call, event.data);
    return summary && ["new", summary];
  }
  if (event.type === "message:delete") return ["delete", { ID }];
  if (event.type === "message:read") return ["update", { ID, Read: event.data.is_read }];
  return event.type === "message:tags" ? ["update", { ID, Tags: event.data.tags }] : null;
}

export const SERVICE: Routes = {
  "POST /api/v1/send": send,
  "GET /api/v1/chaos": chaosOf,
  "PUT /api/v1/chaos": setChaos,
  "GET /api/v1/info": infoOf,
  "GET /api/v1/webui": webuiOf,
  "GET /api/events": streamEvents,
};
