// Messages and checks in the shapes of Mailpit.
import { STATUS_CODES } from "node:http";
import { clientNames } from "../../../checks/index.ts";
import type { AttachmentPart } from "../../../mime/index.ts";
import type { Check, CheckFinding, CheckName, MessageHeader, MessageSummary } from "../../../model/index.ts";
import { badRequest, known } from "../../problem.ts";
import { type Call, valuesOf } from "../route.ts";

/** Mailpit lists a part as inline unless its disposition or type makes it an attachment. */
const isInline = ({ part }: AttachmentPart) =>
  part.disposition !== "attachment" && part.type !== "application/octet-stream";

const fieldValue = (headers: readonly MessageHeader[], wanted: string): string =>
  headers.find(({ name }) => name.toLowerCase() === wanted)?.value ?? "";

/** Mailpit keeps the line ends of the mail, CR LF. */
export const withCrLf = (text: string) => text.replace(/\r?\n/g, "\r\n");

/** The fields that a list and a message have in common. */
function factsOf(message: MessageSummary, headers: readonly MessageHeader[]) {
  const people = (wanted: string) =>
    headers
      .filter(({ name }) => name.toLowerCase() === wanted)
      .flatMap(({ addresses = [] }) => addresses)
      .map(({ name, address }) => ({ Name: name, Address: address }));
  const [To, Cc, Bcc] = [people("to"), people("cc"), people("bcc")];
  const named = new Set([...To, ...Cc, ...Bcc].map(({ Address }) => Address.toLowerCase()));
  const hidden = message.recipients.filter((address) => !named.has(address.toLowerCase()));
  return {
    ID: message.id,
    MessageID: fieldValue(headers, "message-id").replace(/^<|>$/g, ""),
    From: people("from")[0] ?? { Name: fieldValue(headers, "from"), Address: "" },
    To,
    Cc,
    // Also the recipients that the header does not name.
    Bcc: [...Bcc, ...hidden.map((Address) => ({ Name: "", Address }))],
    ReplyTo: people("reply-to"),
    Subject: message.subject,
    Username: "",
    Tags: message.tags,
    Size: message.size,
  };
}

/** Null if the mail was deleted in the meantime. */
export async function summaryOf({ reader }: Call, message: MessageSummary) {
  const { id } = message;
  const [headers, preview, files] = await Promise.all([
    reader.addressedHeaders(id),
    reader.preview(id),
    message.has_attachments ? reader.attachments(id) : null,
  ]);
  if (!headers) return null;
  return {
    ...factsOf(message, headers.found),
    Read: message.is_read,
    Created: message.created_at,
    Attachments: files?.found.filter((file) => !isInline(file)).length ?? 0,
    Snippet: preview?.snippet ?? "",
  };
}

export async function messageOf({ reader }: Call, id: string) {
  const [{ found: message }, { found: headers }, { found: files }] = await Promise.all([
    known(id, reader.message(id)),
    known(id, reader.addressedHeaders(id)),
    known(id, reader.attachments(id)),
  ]);
  const unsubscribe = fieldValue(headers, "list-unsubscribe");
  const written = Date.parse(fieldValue(headers, "date"));
  const listed = (wanted: AttachmentPart[]) =>
    Promise.all(wanted.map((file) => attachmentOf(reader, id, file)));
  const facts = factsOf(message, headers);
  return {
    ...facts,
    ReturnPath: message.sender || facts.From.Address,
    ListUnsubscribe: {
      Header: unsubscribe,
      Links: unsubscribe.match(/(?<=<\s*)(?:mailto|https?):[^<>\s]+/gi) ?? [],
      Errors: "",
      HeaderPost: fieldValue(headers, "list-unsubscribe-post"),
    },
    Date: Number.isNaN(written) ? message.created_at : new Date(written).toISOString(),
    Text: withCrLf(message.text_body),
    HTML: withCrLf(message.html_body),
    Inline: await listed(files.filter(isInline)),
    Attachments: await listed(files.filter((file) => !isInline(file))),
  };
}

async function attachmentOf(reader: Call["reader"], id: string, file: AttachmentPart) {
  const { attachment, contentId = "" } = file;
  const checksum = (algorithm: "md5" | "sha1" | "sha256") => known(id, reader.digest(id, file, algorithm));
  return {
    PartID: attachment.id,
    FileName: attachment.filename,
    ContentType: attachment.content_type,
    ContentID: contentId,
    Size: attachment.size,
    Checksums: { MD5: await checksum("md5"), SHA1: await checksum("sha1"), SHA256: await checksum("sha256") },
  };
}

/** Each word of a name begins with a capital, as in Mailpit. Values are not decoded. */
export async function headersOf({ reader }: Call, id: string) {
  const { root } = await known(id, reader.structure(id));
  return valuesOf(root.fields, ({ key }) => key.replace(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase()));
}

/** Mailpit checks the support of all clients. */
const CLIENTS = ["all"];

async function checkOf({ checks }: Call, id: string, name: CheckName): Promise<Check> {
  const options = { clients: CLIENTS, fetchesLinks: false, dns: null };
  const { checks: made } = await known(id, checks.report(id, [name], options));
  return made[0] as Check;
}

/** "Gmail (Android)" is Gmail on the platform Android. */
function clientOf(name: string) {
  const [, family = name, platform = ""] = /^(.*) \((.*)\)$/.exec(name) ?? [];
  return { Name: name, Family: family, Platform: platform.toLowerCase().replaceAll(" ", "-"), Version: "" };
}

/** In a warning, partial support counts as support. In the total, which is our own score, it counts half. */
const scoreOf = (Unsupported: number) => ({ Supported: 100 - Unsupported, Partial: 0, Unsupported });

export async function htmlCheck(call: Call, id: string) {
  const { findings, score } = await checkOf(call, id, "html");
  const { html_body } = await known(id, call.reader.bodies(id));
  if (html_body === "") throw badRequest("no_html", "This message has no HTML.");
  const clients = clientNames(CLIENTS).map(clientOf);
  const platforms = [...Map.groupBy(clients, ({ Platform }) => Platform)];
  return {
    Warnings: findings.map((finding) => warningOf(finding, clients.length)),
    Platforms: Object.fromEntries(platforms.map(([name, on]) => [name, on.map(({ Family }) => Family)])),
    // Mailpit counts the HTML nodes that it tested; we do not.
    Total: { Tests: findings.length, Nodes: 0, ...scoreOf(100 - (score ?? 0)) },
  };
}

const warningOf = ({ rule, message, help, clients = [] }: CheckFinding, all: number) => ({
  Slug: rule,
  Title: message,
  Description: help,
  URL: `https://www.caniemail.com/features/${rule}/`,
  Category: rule.startsWith("css-") ? "css" : "html",
  Tags: [],
  Keywords: "",
  Results: clients.map((name) => ({ ...clientOf(name), Support: "no", NoteNumber: "" })),
  NotesByNumber: {},
  Score: { Found: 1, ...scoreOf((100 * clients.length) / all) },
});

export async function linkCheck({ checks }: Call, id: string) {
  const links = await known(id, checks.linkAnswers(id));
  const Links = links.map(({ url: URL, answer }) => {
    if (answer?.outcome !== "answered") return { URL, StatusCode: 0, Status: answer?.reason ?? "" };
    return { URL, StatusCode: answer.status, Status: STATUS_CODES[answer.status] ?? "" };
  });
  return { Errors: Links.filter(({ StatusCode: code }) => code < 200 || code >= 400).length, Links };
}

export async function spamCheck(call: Call, id: string) {
  const { status, score, summary, findings } = await checkOf(call, id, "spam");
  const failed = findings.find(({ rule }) => rule === "check-failed" || rule === "no-answer");
  const rules = findings.filter(({ points }) => points !== undefined);
  return {
    Error: status === "off" ? summary : (failed?.message ?? ""),
    IsSpam: findings.some(({ rule }) => rule === "spam"),
    Score: score ?? 0,
    Rules: rules.map(({ rule, message, points }) => ({ Name: rule, Score: points, Description: message })),
  };
}
