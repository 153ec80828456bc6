// Mailpit's routes for one message, by its id or as `latest`, with an optional search.
import { Type } from "@sinclair/typebox";
import { ReleaseRequest } from "../../../model/index.ts";
import { callerOf } from "../../caller.ts";
import { attachmentNamed } from "../../content-disposition.ts";
import { UNTRUSTED_HEADERS } from "../../mail-content.ts";
import { htmlPolicy } from "../../modules/messages/insight.ts";
import { choice, query, text, withDefault } from "../../parameters.ts";
import { badRequest, known, Problem, unknownMessage } from "../../problem.ts";
import { asking, type Call, checked, done, notTranslated, type Routes, serveRaw } from "../route.ts";
import { htmlCheck, linkCheck, spamCheck } from "./checks.ts";
import { filterOf } from "./search.ts";
import { headersOf, messageOf } from "./shapes.ts";

const word = withDefault("", text(""));
const flag = choice(["1", "0", "true", "false"], "");
/** `query` and `tz` are for `latest`: the latest that a search finds. */
const PARAMETERS = query({ query: word, tz: word, dl: flag, follow: flag, embed: flag });
interface Asked {
  readonly query: string;
  readonly tz: string;
  readonly dl?: string;
}

const Address = Type.String({ pattern: "@.", description: "an address" });
const Recipients = Type.Object({ To: Type.Array(Address) }, { additionalProperties: false });
const MAX_PIXELS = 50_000_000;
const MAX_IMAGE_BYTES = 32 * 1024 ** 2;

/** One that the caller may see. */
async function idOf({ mail, asked }: Call<Asked>, given: string): Promise<string> {
  if (given !== "latest") return (await known(given, mail.get(given))).id;
  const filter = filterOf(asked.query, asked.tz);
  const { messages } = await mail.list({ filter, offset: 0, limit: 1 });
  const [latest] = messages;
  if (!latest) throw unknownMessage(given);
  return latest.id;
}

const byId = (does: (call: Call<Asked>, id: string) => unknown) =>
  asking(PARAMETERS, async (call) => does(call, await idOf(call, call.params.message ?? "")));

async function partOf({ reader, params }: Call<Asked>, id: string) {
  const { found } = await known(id, reader.attachments(id));
  const file = found.find(({ attachment }) => attachment.id === params.part);
  if (!file) throw new Problem(404, "unknown_attachment", "The message has no part with this id.");
  return { file, content: await known(id, reader.open(id, file)) };
}

async function servePart(call: Call<Asked>, id: string): Promise<Response> {
  const { file, content } = await partOf(call, id);
  return new Response(content, {
    headers: {
      ...UNTRUSTED_HEADERS,
      // Images of a page in a sandbox, whose origin is nobody's.
      "cross-origin-resource-policy": "cross-origin",
      "content-type": file.attachment.content_type,
      "content-disposition": attachmentNamed(file.attachment.filename),
    },
  });
}

async function serveThumbnail(call: Call<Asked>, id: string): Promise<Response> {
  const { file, content } = await partOf(call, id);
  if (!file.attachment.content_type.startsWith("image/") || file.attachment.size > MAX_IMAGE_BYTES)
    throw notTranslated("Thumbnails are made of images of at most 32 MiB.");
  const jpeg = await new Bun.Image(await new Response(content).bytes(), { maxPixels: MAX_PIXELS })
    .resize(180, 120, { fit: "inside", withoutEnlargement: true })
    .jpeg({ quality: 70 })
    .blob()
    .catch(() => {
      throw notTranslated("This image cannot be read, or has too many pixels.");
    });
  return new Response(jpeg, { headers: { ...UNTRUSTED_HEADERS, "content-type": "image/jpeg" } });
}

/** References to its own images lead to them, from below `/view` at any root. */
async function htmlOf({ reader }: Call<Asked>, id: string): Promise<string> {
  const { found } = await known(id, reader.attachments(id));
  const { html_body: html } = await known(id, reader.bodies(id));
  if (html === "") throw new Problem(404, "no_html", "This message has no HTML.");
  const parts = new Map(found.map(({ contentId, attachment }) => [contentId, attachment.id]));
  return html.replace(/cid:([^\s"'<>)]+)/gi, (written, contentId: string) => {
    const part = parts.get(contentId);
    return part === undefined ? written : `../api/v1/message/${id}/part/${part}`;
  });
}

async function view(call: Call<Asked>): Promise<Response> {
  const { reader, params } = call;
  const [, name = "", kind = "html"] = /^(.+?)(?:\.(html|txt))?$/.exec(params.file ?? "") ?? [];
  const id = await idOf(call, name);
  const shown = kind === "html" ? await htmlOf(call, id) : (await known(id, reader.bodies(id))).text_body;
  return new Response(shown, {
    headers: {
      "content-type": `text/${kind === "html" ? "html" : "plain"}; charset=utf-8`,
      "content-security-policy": htmlPolicy(true),
      "cache-control": "no-store",
    },
  });
}

async function sendOn({ release, keepOpen, request, sent }: Call<Asked>, id: string): Promise<Response> {
  const { To } = sent(Recipients);
  if (!release.hasRelay)
    throw badRequest("invalid_body", "There is no server to release to: start Mailkeep with --relay.");
  keepOpen(request);
  await release.send(id, checked(ReleaseRequest, { to: To }));
  return done("ok");
}

export const MESSAGE: Routes = {
  "GET /api/v1/message/:message": byId(async (call, id) => {
    const found = await messageOf(call, id);
    // Who may only read changes nothing.
    if (callerOf(call.request).role !== "read") await call.mail.update([id], { is_read: true });
    return found;
  }),
  "GET /api/v1/message/:message/headers": byId(headersOf),
  "GET /api/v1/message/:message/raw": byId((call, id) =>
    serveRaw(call, id, "text/plain; charset=utf-8", call.asked.dl === "1"),
  ),
  "GET /api/v1/message/:message/part/:part": byId(servePart),
  "GET /api/v1/message/:message/part/:part/thumb": byId(serveThumbnail),
  "POST /api/v1/message/:message/release": byId(sendOn),
  "GET /api/v1/message/:message/html-check": byId(htmlCheck),
  "GET /api/v1/message/:message/link-check": byId(linkCheck),
  "GET /api/v1/message/:message/sa-check": byId(spamCheck),
  "GET /": () =>
    done("Mailkeep answers here as Mailpit's API does, below /api/v1. Its page is at --http-port."),
  "GET /view/:file": asking(PARAMETERS, view),
  // Some clients write two slashes, which Mailpit sends on to one.
  "GET //view/:file": asking(PARAMETERS, ({ params: { file = "" }, request }) => {
    const location = `../../view/${encodeURIComponent(file)}${new URL(request.url).search}`;
    return new Response(null, { status: 301, headers: { location } });
  }),
};
