// Messages in the shape of MailHog: headers and bodies as they were sent, still encoded.
import type { MimePart } from "../../../mime/index.ts";
import type { MessageSummary } from "../../../model/index.ts";
import { Problem } from "../../problem.ts";
import { type Call, valuesOf } from "../route.ts";

/** Each of them is in the answer whole, more than once. */
const MAX_BYTES = 16 * 1024 ** 2;

export async function itemsOf(call: Call, messages: readonly MessageSummary[]) {
  const bytes = messages.reduce((sum, { size }) => sum + size, 0);
  if (bytes > MAX_BYTES) {
    const sentence = `These messages have more than ${MAX_BYTES} bytes together: ask for fewer with limit, or for their /download.`;
    throw new Problem(413, "message_too_large", sentence);
  }
  const items = await Promise.all(messages.map((message) => itemOf(call, message)));
  return items.filter((item) => item !== null);
}

/** Null when it was deleted meanwhile. */
async function itemOf({ mail, reader }: Call, { id, sender, recipients, created_at }: MessageSummary) {
  const [raw, structure] = await Promise.all([mail.raw(id), reader.structure(id)]);
  if (!raw || !structure) return null;
  const bytes = Buffer.from(await raw.bytes());
  const content = contentOf(structure.root, bytes);
  return {
    ID: id,
    From: pathOf(sender),
    To: recipients.map(pathOf),
    Content: { ...content, Size: raw.size, MIME: null },
    Created: created_at,
    MIME: content.MIME,
    Raw: { From: sender, To: recipients, Data: bytes.toString(), Helo: "" },
  };
}

function pathOf(address: string) {
  const at = address.lastIndexOf("@");
  const [Mailbox, Domain] = at < 0 ? [address, ""] : [address.slice(0, at), address.slice(at + 1)];
  return { Relays: null, Mailbox, Domain, Params: "" };
}

interface Content {
  readonly Headers: Readonly<Record<string, readonly string[]>>;
  readonly Body: string;
  readonly Size: number;
  readonly MIME: { readonly Parts: readonly Content[] } | null;
}

function contentOf({ fields, start, end, children }: MimePart, bytes: Buffer): Content {
  return {
    Headers: valuesOf(fields, ({ name }) => name),
    Body: bytes.toString("utf8", start, end),
    Size: end - start,
    MIME: children.length === 0 ? null : { Parts: children.map((part) => contentOf(part, bytes)) },
  };
}
