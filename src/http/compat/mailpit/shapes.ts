// Messages in the shapes of Mailpit.
import { createHash } from "node:crypto";
import type { AttachmentPart } from "../../../mime/index.ts";
import type { MessageHeader, MessageSummary } from "../../../model/index.ts";
import { known } from "../../problem.ts";
import { type Call, valuesOf } from "../route.ts";

const OCTETS = "application/octet-stream";

/** Mailpit lists as inline what is not said to be an attachment. */
const isInline = ({ part }: AttachmentPart) => part.disposition !== "attachment" && part.type !== OCTETS;

const fieldValue = (headers: readonly MessageHeader[], wanted: string): string =>
  headers.find(({ name }) => name.toLowerCase() === wanted)?.value ?? "";

const withoutBrackets = (text: string) => text.replace(/^<|>$/g, "");

function peopleOf(headers: readonly MessageHeader[], { recipients }: MessageSummary) {
  const people = (wanted: string) =>
    headers
      .filter(({ name }) => name.toLowerCase() === wanted)
      .flatMap(({ addresses = [] }) =>
        addresses.map(({ name, address }) => ({ Name: name, Address: address })),
      );
  const [To, Cc, Bcc] = [people("to"), people("cc"), people("bcc")];
  const named = new Set([...To, ...Cc, ...Bcc].map(({ Address }) => Address.toLowerCase()));
  const hidden = recipients.filter((address) => !named.has(address.toLowerCase()));
  return {
    From: people("from")[0] ?? { Name: fieldValue(headers, "from"), Address: "" },
    To,
    Cc,
    // Who got it without standing in its header.
    Bcc: [...Bcc, ...hidden.map((Address) => ({ Name: "", Address }))],
    ReplyTo: people("reply-to"),
  };
}

/** Null when it was deleted meanwhile. */
export async function summaryOf({ reader }: Pick<Call, "reader">, message: MessageSummary) {
  const { id } = message;
  const [headers, preview, files] = await Promise.all([
    reader.addressedHeaders(id),
    reader.preview(id),
    message.has_attachments ? reader.attachments(id) : null,
  ]);
  if (!headers) return null;
  return {
    ID: id,
    MessageID: withoutBrackets(fieldValue(headers.found, "message-id")),
    Read: message.is_read,
    ...peopleOf(headers.found, message),
    Subject: message.subject,
    Created: message.created_at,
    Username: "",
    Tags: message.tags,
    Size: message.size,
    Attachments: files?.found.filter((file) => !isInline(file)).length ?? 0,
    Snippet: preview?.snippet ?? "",
  };
}

export async function messageOf({ reader }: Pick<Call, "reader">, id: string) {
  const [{ found: message }, { found: headers }, { found: files }] = await Promise.all([
    known(id, reader.message(id)),
    known(id, reader.addressedHeaders(id)),
    known(id, reader.attachments(id)),
  ]);
  const written = Date.parse(fieldValue(headers, "date"));
  const listed = (wanted: AttachmentPart[]) =>
    Promise.all(wanted.map((file) => attachmentOf(reader, id, file)));
  return {
    ID: id,
    MessageID: withoutBrackets(fieldValue(headers, "message-id")),
    ...peopleOf(headers, message),
    ReturnPath: withoutBrackets(fieldValue(headers, "return-path")) || message.sender,
    Subject: message.subject,
    ListUnsubscribe: unsubscribeOf(headers),
    Date: Number.isNaN(written) ? message.created_at : new Date(written).toISOString(),
    Tags: message.tags,
    Username: "",
    Text: message.text_body,
    HTML: message.html_body,
    Size: message.size,
    Inline: await listed(files.filter(isInline)),
    Attachments: await listed(files.filter((file) => !isInline(file))),
  };
}

async function attachmentOf(reader: Call["reader"], id: string, file: AttachmentPart) {
  const sums = { MD5: createHash("md5"), SHA1: createHash("sha1"), SHA256: createHash("sha256") };
  for await (const chunk of await known(id, reader.open(id, file))) {
    for (const sum of Object.values(sums)) sum.update(chunk);
  }
  const { attachment, contentId = "" } = file;
  return {
    PartID: attachment.id,
    FileName: attachment.filename,
    ContentType: attachment.content_type,
    ContentID: contentId,
    Size: attachment.size,
    Checksums: Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, sum.digest("hex")])),
  };
}

/** At most one address and one link. */
function unsubscribeOf(headers: readonly MessageHeader[]) {
  const Header = fieldValue(headers, "list-unsubscribe");
  const links = [...Header.matchAll(/<\s*((mailto|https?):[^<>\s]+)\s*>/gi)];
  const first = (scheme: RegExp) => links.find(([, , name = ""]) => scheme.test(name))?.[1] ?? [];
  return {
    Header,
    Links: [first(/^mailto/i), first(/^http/i)].flat(),
    Errors: Header !== "" && links.length === 0 ? "No valid link was found." : "",
    HeaderPost: fieldValue(headers, "list-unsubscribe-post"),
  };
}

/** By their canonical names, the values as they were sent. */
export async function headersOf({ reader }: Pick<Call, "reader">, id: string) {
  const { root } = await known(id, reader.structure(id));
  const capital = (letter: string) => letter.toUpperCase();
  return valuesOf(root.fields, ({ key }) => key.replace(/(?<=^|-)[a-z]/g, capital));
}
