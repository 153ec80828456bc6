// Mailpit's routes for the service itself: sending, chaos, information and its WebSocket.
import { type Static, Type } from "@sinclair/typebox";
import { MAX_TAGS, SendRequest, Tag } from "../../../model/index.ts";
import { deliver } from "../../modules/send.ts";
import { invalidField } from "../../problem.ts";
import { type Call, checked, fields, ownFaults, type Routes } from "../route.ts";
import { eventClient } from "./events.ts";

const word = Type.String();
const Mailbox = Type.Object({ Email: word, Name: Type.Optional(word) }, { additionalProperties: false });
const Given = fields({
  From: Mailbox,
  To: Type.Array(Mailbox),
  Cc: Type.Array(Mailbox),
  Bcc: Type.Array(word),
  ReplyTo: Type.Array(Mailbox),
  Subject: word,
  Text: word,
  HTML: word,
  Headers: Type.Record(Type.String({ pattern: "^[!-9;-~]+$" }), word),
  Tags: Type.Array(Tag, { maxItems: MAX_TAGS }),
  Attachments: Type.Array(fields({ Content: word, Filename: word, ContentType: word, ContentID: word })),
});

/** What the other fields say. */
const OWN_HEADERS = /^(?:to|from|cc|bcc|reply-to|date|subject|content-type|mime-version)$/i;

const X_TAGS = /^x-tags$/i;

const written = ({ Email, Name = "" }: Static<typeof Mailbox>) =>
  Name === "" ? Email : `"${Name.replace(/["\\]/g, "\\$&")}" <${Email}>`;

function requestOf(mail: Static<typeof Given>): SendRequest {
  const { From, To = [], Cc = [], Bcc = [], ReplyTo = [], Tags = [], Headers = {}, Attachments = [] } = mail;
  if (From === undefined) throw invalidField("From", "is missing");
  for (const name of Object.keys(Headers))
    if (OWN_HEADERS.test(name) || (Tags.length > 0 && X_TAGS.test(name)))
      throw invalidField(`Headers.${name}`, "is said by another field");
  return {
    from: written(From),
    to: To.map(written),
    cc: Cc.map(written),
    bcc: Bcc,
    subject: mail.Subject ?? "",
    text: mail.Text ?? "",
    ...(mail.HTML && { html: mail.HTML }),
    headers: {
      ...Headers,
      ...(ReplyTo.length > 0 && { "Reply-To": ReplyTo.map(written).join(", ") }),
      ...(Tags.length > 0 && { "X-Tags": Tags.join(", ") }),
    },
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
  const [, words = ""] = Object.entries(given.Headers ?? {}).find(([name]) => X_TAGS.test(name)) ?? [];
  const named = words.split(",").flatMap((word) => word.trim() || []);
  const { Tags = [] } = given.Tags?.length ? given : checked(Given, { Tags: named });
  const id = await deliver(checked(SendRequest, requestOf(given)), call.request, call);
  const { tags = [] } = (await call.mail.get(id)) ?? {};
  if (Tags.length > 0) await call.mail.update([id], { tags: [...new Set([...tags, ...Tags])] });
  return { ID: id };
}

/** Chaos as rules of faults, which tests may also see and remove as such. */
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
      // Counted at /metrics alone.
      MessagesDeleted: 0,
      SMTPAccepted: 0,
      SMTPAcceptedSize: 0,
      SMTPRejected: 0,
      SMTPIgnored: 0,
    },
  };
}

const webuiOf = ({ checks, facts }: Call) => ({
  Label: "",
  MessageRelay: {
    Enabled: facts.relay !== null,
    SMTPServer: facts.relay ? `${facts.relay.host}:${facts.relay.port}` : "",
    ReturnPath: "",
    AllowedRecipients: "",
    BlockedRecipients: "",
    OverrideFrom: "",
    PreserveMessageIDs: true,
    RecipientAllowlist: "",
  },
  SpamAssassin: checks.hasSpamFilter,
  ChaosEnabled: true,
  DuplicatesIgnored: false,
  HideDeleteAllButton: false,
});

export const SERVICE: Routes = {
  "POST /api/v1/send": send,
  "GET /api/v1/chaos": chaosOf,
  "PUT /api/v1/chaos": setChaos,
  "GET /api/v1/info": infoOf,
  "GET /api/v1/webui": webuiOf,
  "GET /api/events": (call) =>
    call.events.upgrade(call.request, call.scope, eventClient(call), call.serverOf(call.request)),
};
