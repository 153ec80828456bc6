// Mailpit's interface (version 1.30) below /compat/mailpit.
import { Type } from "@sinclair/typebox";
import { parseSize } from "../../../lib/numbers.ts";
import { percentDecoded } from "../../../lib/text.ts";
import { Closed, type FilterPart, MAX_TAGS, type MessageFilter, Tag } from "../../../model/index.ts";
import type { MailView } from "../../../store/index.ts";
import { callerOf } from "../../caller.ts";
import { attachmentNamed, serveRaw } from "../../mail-content.ts";
import type { Dependencies } from "../../modules/dependencies.ts";
import { serveAttachment } from "../../modules/messages/attachments.ts";
import { htmlPolicy } from "../../modules/messages/content.ts";
import { type AskedOf, choice, query, single, text, withDefault } from "../../parameters.ts";
import { isHead } from "../../plugins/answer.ts";
import { badRequest, invalidField, known, notFound, quote, unknownMessage } from "../../problem.ts";
import * as route from "../route.ts";
import { SERVICE } from "./service.ts";
import { headersOf, htmlCheck, linkCheck, messageOf, spamCheck, summaryOf, withCrLf } from "./shapes.ts";

const { asking, fields } = route;

/** Mailpit has no limit. We need one, because a list reads the header of each mail. */
const MAX_LISTED = 1000;

const page = route.pages(0, MAX_LISTED);
const word = withDefault("", text(""));
const flag = choice(["1", "0", "true", "false"], "");
const tz = single({}, "", () => {
  throw route.notTranslated("Dates are in UTC: leave tz out, or write an offset (+01:00) after the time.");
});
const searched = { query: word, tz };
/** `query` counts only if the path says `latest`, which means the newest mail that the query finds. */
const OF_ONE = query({ ...searched, dl: flag, follow: flag, embed: flag });
type Wanted = AskedOf<typeof OF_ONE>;

const Ids = fields({ IDs: Type.Array(Type.String()) });
const ReadStatus = fields({ ...Ids.properties, Read: Type.Boolean(), Search: Type.String() });
const Tagged = fields({ ...Ids.properties, Tags: Type.Array(Tag, { maxItems: MAX_TAGS }) });
const Renamed = Closed({ Name: Tag });
const Recipients = fields({ To: Type.Array(Type.String()) });

const tagNames = async ({ mail }: route.Call) => (await mail.tags()).map(({ tag }) => tag);

async function listOf(call: route.Call<{ start: number; limit: number }>, filter: MessageFilter = {}) {
  const { mail, asked } = call;
  const { start, limit } = asked;
  const { messages, total } = await mail.list({ filter, offset: start, limit: limit || MAX_LISTED });
  const stats = await mail.stats();
  const shown = await Promise.all(messages.map((message) => summaryOf(call, message)));
  const found = shown.filter((message) => message !== null);
  return {
    total: stats.messages,
    unread: stats.unread,
    count: found.length,
    messages_count: total,
    messages_unread: await mail.count({ ...filter, unread: true }),
    start,
    tags: await tagNames(call),
    messages: found,
  };
}

function wanted(typed: string, mayFindMore?: boolean) {
  const filter = filterOf(typed, mayFindMore);
  if (Object.keys(filter).length > 0) return filter;
  throw badRequest("invalid_parameter", "There is nothing to search for: parameter query has no words.");
}

async function allIds(mail: MailView, filter: MessageFilter): Promise<string[]> {
  const all: string[] = [];
  for (let ids = await mail.walk(filter); ids.length > 0; ) {
    all.push(...ids);
    ids = await mail.walk(filter, { after: all.at(-1) ?? "" });
  }
  return all;
}

/** Changes each mail separately, because each keeps its other tags. */
async function replaceTag({ mail, params }: route.Call, others: readonly string[]): Promise<void> {
  const { tag: replaced = "" } = params;
  for (const id of await allIds(mail, { tags: [replaced] })) {
    const { tags = [] } = (await mail.get(id)) ?? {};
    const kept = tags.flatMap((name) => (name === replaced ? others : [name]));
    await mail.update([id], { tags: [...new Set(kept)] });
  }
}

/** The id of a mail that the caller may see. `latest` is the newest one that the parameter `query` finds. */
async function idOf({ mail, asked }: route.Call<Wanted>, given: string): Promise<string> {
  if (given !== "latest") return (await known(given, mail.get(given))).id;
  const filter = filterOf(asked.query);
  const [latest] = (await mail.list({ filter, offset: 0, limit: 1 })).messages;
  if (!latest) throw unknownMessage(given);
  return latest.id;
}

const byId = (does: (call: route.Call<Wanted>, id: string) => unknown) =>
  asking(OF_ONE, async (call) => {
    const { message = "" } = call.params;
    const answer = await does(call, await idOf(call, message));
    // `latest` means another mail as soon as one arrives.
    if (answer instanceof Response && message === "latest") answer.headers.set("cache-control", "no-cache");
    return answer;
  });

async function servePart(call: route.Call, id: string, isThumbnail = false) {
  const { reader, request } = call;
  const { part } = call.params;
  const { found } = await known(id, reader.attachments(id));
  const file = found.find(({ attachment, contentId }) => attachment.id === part || contentId === part);
  if (!file) throw notFound("unknown_attachment", "The message has no part with this id.");
  const { content_type, filename } = file.attachment;
  if (isThumbnail && !/^image\//i.test(content_type))
    throw route.notTranslated("Mailkeep has thumbnails only for images.");
  return serveAttachment(request, reader, id, file, {
    disposition: attachmentNamed(filename),
    // If a frame is sandboxed without `allow-same-origin`, it has no origin, and its images need this header.
    headers: { "cross-origin-resource-policy": "cross-origin" },
  });
}

/** Inline images get addresses relative to `/view`: they load below `/compat/mailpit` and at `--mailpit-port`. */
async function view(call: route.Call<Wanted>): Promise<Response> {
  const [, name = "", kind = "html"] = /^(.+?)(?:\.(html|txt))?$/.exec(call.params.file ?? "") ?? [];
  const id = await idOf(call, name);
  const { html_body: html, text_body: text } = await known(id, call.reader.bodies(id));
  const isHtml = kind === "html";
  if (isHtml && html === "") throw notFound("no_html", "This message has no HTML.");
  const type = `text/${isHtml ? "html" : "plain"}; charset=utf-8`;
  const headers = { "content-security-policy": htmlPolicy(true), "cache-control": "no-store" };
  const partOf = (_: string, contentId: string) =>
    `../api/v1/message/${id}/part/${encodeURIComponent(percentDecoded(contentId) ?? contentId)}`;
  const shown = isHtml ? html.replace(/(?<=["'(=])cid:([^\s"'<>)]+)/gi, partOf) : text;
  return new Response(withCrLf(shown), { headers: { ...headers, "content-type": type } });
}

const ROUTES: route.Routes = {
  "GET /api/v1/messages": asking(query(page), (call) => listOf(call)),
  "GET /api/v1/search": asking(query({ ...searched, ...page }), (call) =>
    listOf(call, wanted(call.asked.query)),
  ),
  "PUT /api/v1/messages": asking(query({ tz }), async (call) => {
    const { IDs = [], Read = false, Search = "" } = call.sent(ReadStatus);
    if (IDs.length > 0 && Search !== "") throw invalidField("Search", "cannot be combined with IDs");
    const filter = Search === "" ? {} : wanted(Search);
    await call.mail.update(IDs.length > 0 ? IDs : await allIds(call.mail, filter), { is_read: Read });
  }),
  "DELETE /api/v1/messages": async ({ mail, sent }) => {
    const { IDs = [] } = sent(Ids);
    await (IDs.length > 0 ? mail.delete(IDs) : mail.clear());
  },
  "DELETE /api/v1/search": asking(query(searched), async (call) => {
    await call.mail.deleteMatching(wanted(call.asked.query, false));
  }),
  "GET /api/v1/tags": tagNames,
  "PUT /api/v1/tags": async ({ mail, sent }) => {
    const { IDs = [], Tags = [] } = sent(Tagged);
    await mail.update(IDs, { tags: [...new Set(Tags)] });
  },
  "PUT /api/v1/tags/:tag": (call) => replaceTag(call, [call.sent(Renamed).Name]),
  "DELETE /api/v1/tags/:tag": (call) => replaceTag(call, []),
  "GET /api/v1/message/:message": byId(async (call, id) => {
    const found = await messageOf(call, id);
    // A caller who can only read must not change the flag, and HEAD changes nothing.
    const mayMark = callerOf(call.request).role !== "read" && !isHead(call.request);
    if (mayMark) await call.mail.update([id], { is_read: true });
    return found;
  }),
  "GET /api/v1/message/:message/headers": byId(headersOf),
  "GET /api/v1/message/:message/raw": byId(({ request, mail, asked }, id) =>
    serveRaw(request, mail, id, { type: "text/plain; charset=utf-8", isFile: asked.dl === "1" }),
  ),
  "GET /api/v1/message/:message/part/:part": byId(servePart),
  "GET /api/v1/message/:message/part/:part/thumb": byId((call, id) => servePart(call, id, true)),
  "POST /api/v1/message/:message/release": byId(async (call, id) => {
    const { To: to = [] } = call.sent(Recipients);
    if (!call.release.hasRelay)
      throw badRequest("invalid_body", "There is no server to release to: start Mailkeep with --relay.");
    await route.sendOn(call, id, { to });
  }),
  "GET /api/v1/message/:message/html-check": byId(htmlCheck),
  "GET /api/v1/message/:message/link-check": byId(linkCheck),
  "GET /api/v1/message/:message/sa-check": byId(spamCheck),
  "GET /view/:file": asking(OF_ONE, view),
  // cypress-mailpit writes two slashes.
  "GET //view/:file": asking(OF_ONE, view),
  ...SERVICE,
};

export const mailpit = (options: Dependencies) => route.routesBelow("/compat/mailpit", options, ROUTES, "ok");

// Translates a Mailpit search to our filter. Like Mailpit, our filters for subject, From and To find any part
// of a text. Everything else becomes part of `q`, which finds only the beginnings of words.

const PARTS = { from: "header_from", to: "header_to", subject: "subject" } as const;
const PEOPLE = ["from", "to", "cc", "bcc", "reply-to"];
const IN_FIELD = new Set([...PEOPLE, "subject", "message-id"]);
const AS_IT_IS = /^(?:is:(?:un)?read|is:tagged|has:attachments?)$/i;
const ARGUMENT = /(?:[^\s"]|"[^"]*"?)+/g;
const MAX_PARTS = 50;
// Terms that may find more than in Mailpit: `-lo` finds "hello", `cc:` hidden recipients, `has:` inline images.
const MAY_FIND_MORE = /^(?:-(?!(?:is|has|before|after|larger|smaller):)|(?:cc|has):)/i;

function filterOf(typed: string, mayFindMore = true): MessageFilter {
  const parts: FilterPart[] = [];
  const terms: string[] = [];
  for (const argument of typed.match(ARGUMENT) ?? []) {
    const [, minus = "", given = ""] = /^([-!]?)(.+)$/s.exec(argument.replaceAll('"', "")) ?? [];
    const [, name = "", value = ""] = /^(from|to|subject):(.+)$/is.exec(given) ?? [];
    const field = PARTS[name.toLowerCase() as keyof typeof PARTS];
    if (field) {
      parts.push({ field, text: value, isNegated: minus !== "" });
      continue;
    }
    const found = termOf(given);
    const term = found && `${minus && "-"}${found}`;
    if (!mayFindMore && (term === undefined || MAY_FIND_MORE.test(term)))
      throw route.notTranslated(
        `${quote(argument)} may find more mail here than in Mailpit, so nothing was deleted. Delete by ids instead.`,
      );
    if (term !== undefined) terms.push(term);
  }
  if (parts.length > MAX_PARTS)
    throw badRequest("invalid_parameter", `At most ${MAX_PARTS} from:, to: and subject: terms are allowed.`);
  return { ...(parts.length > 0 && { parts }), ...(terms.length > 0 && { q: terms.join(" ") }) };
}

/** Undefined if the text has no words. */
function termOf(given: string): string | undefined {
  const [, operator = "", value = ""] = /^([a-z-]+):(.*)$/is.exec(given) ?? [];
  const name = operator.toLowerCase();
  if (AS_IT_IS.test(given)) return given;
  if (/^has:inlines?$/i.test(given))
    throw route.notTranslated("Inline images cannot be searched for alone; has:attachment finds them, too.");
  if (name === "tag") return `tag:"${value}"`;
  if (name === "before" || name === "after") return `${name}:${instantOf(value)}`;
  if ((name === "larger" || name === "smaller") && bytesOf(value) > 0) return `${name}:${bytesOf(value)}`;
  const isField = IN_FIELD.has(name);
  const phrase = route.phraseOf(isField || name === "addressed" ? value : given);
  if (phrase === undefined) return undefined;
  if (name === "addressed") return `(${PEOPLE.map((field) => `${field}:${phrase}`).join(" OR ")})`;
  return isField ? `${name}:${phrase}` : phrase;
}

/** Mailpit's "kb" has 1024 bytes. */
const bytesOf = (size: string): number => parseSize(size.replace(/b$/i, "")) ?? 0;

/** Without a time zone the time is in UTC. */
function instantOf(value: string): string {
  const hasZone = /\d:\d.*(?:z|[+-]\d{2}:?\d{2})$/i.test(value);
  const time = Date.parse(hasZone ? value : `${value.replace(/(\d)T(\d)/i, "$1 $2")} UTC`);
  if (Number.isNaN(time)) throw badRequest("invalid_parameter", `${quote(value)} is not a date or time.`);
  return new Date(time).toISOString();
}
