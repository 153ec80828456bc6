// MailHog's interface (versions 1 and 2) below /compat/mailhog. Headers and bodies are not decoded, as in MailHog.
import { type TInteger, type TNumber, Type } from "@sinclair/typebox";
import type { MimePart } from "../../mime/index.ts";
import type { FaultRule, MessageFilter, MessageSummary } from "../../model/index.ts";
import { serveRaw } from "../mail-content.ts";
import type { Dependencies } from "../modules/dependencies.ts";
import { type AskedOf, choice, query, text, withDefault } from "../parameters.ts";
import { badRequest, known, notFound, Problem, unknownMessage } from "../problem.ts";
import * as route from "./route.ts";

const { asking, fields, notTranslated, ownFaults, valuesOf } = route;

/** Version 1 of the interface has no pages. Its list has at most this many mails. */
const MAX_LISTED = 1000;
/** Limits the bytes of the mails in one answer, which contains every mail several times. */
const MAX_BYTES = 16 * 1024 ** 2;
const PAGE = query(route.pages(1, 250));
const SEARCH = query({
  ...route.pages(1, 250),
  kind: choice(["from", "to", "containing"], ""),
  query: withDefault("", text("")),
});
type Page = AskedOf<typeof PAGE>;

const word = Type.String();
const Target = fields({
  host: word,
  port: Type.Union([word, Type.Integer()], { description: "a number" }),
  email: word,
  name: word,
  save: Type.Boolean(),
  username: word,
  password: word,
  mechanism: word,
});

async function listed(call: route.Call, { start, limit }: Page, filter: MessageFilter = {}) {
  const { messages, total } = await call.mail.list({ filter, offset: start, limit });
  const items = await itemsOf(call, messages);
  return { total, count: items.length, start, items };
}

function find(call: route.Call<AskedOf<typeof SEARCH>>) {
  const { kind, query } = call.asked;
  const phrase = route.phraseOf(query);
  if (kind === undefined || phrase === undefined)
    throw badRequest("invalid_parameter", "Give kind (from, to or containing) and a query with words.");
  return listed(call, call.asked, { q: kind === "containing" ? phrase : `${kind}:${phrase}` });
}

async function itemsOf(call: route.Call, messages: readonly MessageSummary[]) {
  const bytes = messages.reduce((sum, { size }) => sum + size, 0);
  if (bytes > MAX_BYTES) {
    const sentence = `These messages are larger than ${MAX_BYTES} bytes together: use a smaller limit, or get each one from /download.`;
    throw new Problem(413, "message_too_large", sentence);
  }
  const items = await Promise.all(messages.map((message) => itemOf(call, message)));
  return items.filter((item) => item !== null);
}

/** Null if the mail was deleted in the meantime. */
async function itemOf({ mail, reader }: route.Call, { id, sender, recipients, created_at }: MessageSummary) {
  const [raw, structure] = await Promise.all([mail.raw(id), reader.structure(id)]);
  if (!raw || !structure) return null;
  const stored = Buffer.from(await raw.bytes());
  // To MailHog the last line end is a part of the final dot.
  const bytes = stored.subarray(0, stored.subarray(-2).toString() === "\r\n" ? -2 : undefined);
  const { root } = structure;
  // MailHog keeps the closing delimiter and the text after it.
  const content = contentOf({ ...root, end: bytes.length }, bytes);
  return {
    ID: id,
    From: pathOf(sender),
    To: recipients.map(pathOf),
    Content: { ...content, Size: bytes.length, MIME: null },
    Created: created_at,
    MIME: content.MIME,
    Raw: { From: sender, To: recipients, Data: bytes.toString(), Helo: "" },
  };
}

function pathOf(address: string) {
  const [, Mailbox = address, Domain = ""] = /^(.*)@(.*)$/s.exec(address) ?? [];
  return { Relays: null, Mailbox, Domain, Params: "" };
}

function contentOf({ fields, start, end, children }: MimePart, bytes: Buffer): Record<string, unknown> {
  return {
    Headers: valuesOf(fields, ({ name }) => name),
    Body: bytes.toString("utf8", start, end),
    Size: end - start,
    MIME: children.length === 0 ? null : { Parts: children.map((child) => contentOf(child, bytes)) },
  };
}

/** Like MailHog, we send a password without TLS only to this machine. */
const IS_LOCAL = /^(?:localhost|127\.0\.0\.1|\[?::1\]?)$/i;

async function release(call: route.Call): Promise<void> {
  const { message: given = "" } = call.params;
  const { host = "", port = 25, email = "", username, password, mechanism = "", save } = call.sent(Target);
  if (save) throw notTranslated("Mailkeep keeps no list of servers: leave save out.");
  if (!["", "PLAIN"].includes(mechanism))
    throw notTranslated("Mailkeep chooses a mechanism that the server offers: leave mechanism out.");
  const { id } = await known(given, call.mail.get(given));
  const tls = IS_LOCAL.test(host) ? "none" : "starttls";
  const login = username && password ? { username, password, tls } : {};
  await route.sendOn(call, id, { host, port: Number(port), to: [email], ...login });
}

function notHere(): never {
  throw notTranslated("Only Mailkeep's own API has this: events at /api/v1/ws, parts as attachments.");
}

// MailHog's chaos monkey, Jim, as fault rules: each of its chances sets one rule's probability.

/** `usual` is MailHog's default chance. A rule has one speed, so every slow connection gets the lowest of the range. */
const JIM_RULES: readonly (readonly [chance: string, usual: number, rule: FaultRule])[] = [
  ["AcceptChance", 0.99, { name: "jim-accept", at: "connect", drop: true }],
  ["LinkSpeedAffect", 0.1, { name: "jim-link", at: "connect", throttle: 1024 }],
  ["DisconnectChance", 0.005, { name: "jim-disconnect", at: "mail", drop: true }],
  ["RejectSenderChance", 0.05, { name: "jim-sender", at: "mail", reply: { code: 550 } }],
  ["RejectRecipientChance", 0.05, { name: "jim-recipient", at: "rcpt", reply: { code: 550 } }],
  ["RejectAuthChance", 0.05, { name: "jim-auth", at: "auth", reply: { code: 535 } }],
];
const JIM_NAMES = JIM_RULES.map(([, , { name = "" }]) => name);

const Chance = Type.Number({ minimum: 0, maximum: 1, description: "a number from 0 to 1" });
const Speed = Type.Integer({ minimum: 1, maximum: 1_000_000_000 });
const Jim = fields<Record<string, TInteger | TNumber>>({
  ...Object.fromEntries(JIM_RULES.map(([chance]) => [chance, Chance])),
  LinkSpeedMin: Speed,
  LinkSpeedMax: Speed,
});

/** `AcceptChance` says how often a connection is accepted, but a rule says how often it is dropped. */
const turned = (chance: string, value: number) => (chance === "AcceptChance" ? 1 - value : value);

function setJim(call: route.Call): void {
  const given = call.sent(Jim);
  const rules = JIM_RULES.map(([chance, usual, rule]) => ({
    ...rule,
    ...(rule.throttle !== undefined && { throttle: given.LinkSpeedMin ?? rule.throttle }),
    probability: turned(chance, given[chance] ?? usual),
  }));
  ownFaults(call, JIM_NAMES).replace(rules);
}

function jimOf(call: route.Call) {
  const { rules } = ownFaults(call, JIM_NAMES);
  if (rules.size === 0) throw notFound("unknown_fault", "Jim is not enabled.");
  const speed = rules.get("jim-link")?.throttle ?? 1024;
  const chances = JIM_RULES.map(
    ([chance, , { name = "" }]) => [chance, turned(chance, rules.get(name)?.probability ?? 0)] as const,
  );
  return { ...Object.fromEntries(chances), LinkSpeedMin: speed, LinkSpeedMax: speed };
}

const ROUTES: route.Routes = {
  "GET /api/v1/messages": async (call) => (await listed(call, { start: 0, limit: MAX_LISTED })).items,
  "DELETE /api/v1/messages": async ({ mail }) => {
    await mail.clear();
  },
  "GET /api/v1/messages/:message": async (call) => {
    const { message: id = "" } = call.params;
    const [item = null] = await itemsOf(call, [await known(id, call.mail.get(id))]);
    return known(id, Promise.resolve(item));
  },
  "DELETE /api/v1/messages/:message": async ({ mail, params: { message: id = "" } }) => {
    const [deleted] = await mail.delete([id]);
    if (deleted === undefined) throw unknownMessage(id);
  },
  "GET /api/v1/messages/:message/download": ({ request, mail, params: { message: id = "" } }) =>
    serveRaw(request, mail, id),
  "GET /api/v1/messages/:message/mime/part/:part/download": notHere,
  "POST /api/v1/messages/:message/release": release,
  "GET /api/v2/messages": asking(PAGE, (call) => listed(call, call.asked)),
  "GET /api/v2/search": asking(SEARCH, find),
  "GET /api/v2/outgoing-smtp": () => ({}),
  "GET /api/v2/websocket": notHere,
  "GET /api/v1/events": notHere,
  "GET /api/v2/jim": jimOf,
  "POST /api/v2/jim": setJim,
  "PUT /api/v2/jim": setJim,
  "DELETE /api/v2/jim": (call) => ownFaults(call, JIM_NAMES).replace([]),
};

export const mailhog = (options: Dependencies) => route.routesBelow("/compat/mailhog", options, ROUTES, "");
