// One mail as a test wants it: the API's message, with what can be read out of it at hand.
import { refuseUnknown } from "./options.ts";
import type { Transport } from "./transport.ts";
import type {
  Attachment,
  AttachmentList,
  CodeList,
  HeaderList,
  LinkList,
  Message,
  MessageChange,
  MessageCode,
  MessageHeader,
  MessageLink,
  MessageSummary,
} from "./types.ts";

export interface MailAttachment extends Attachment {
  bytes(): Promise<Uint8Array>;
  /** Decoded as UTF-8. */
  text(): Promise<string>;
}

export interface Mail extends Omit<Message, "text_body" | "html_body" | "preview"> {
  readonly text: string;
  readonly html: string;
  /** The one-time code in the mail (best guess), or null. */
  readonly code: string | null;
  /** Every candidate, best first. */
  readonly codes: readonly MessageCode[];
  /** Every link once, in order. */
  readonly links: readonly MessageLink[];
  readonly attachments: readonly MailAttachment[];
  /** The bytes as they were sent. */
  raw(): Promise<Uint8Array>;
  headers(): Promise<MessageHeader[]>;
  update(change: MessageChange): Promise<MessageSummary>;
  delete(): Promise<void>;
}

const CHANGEABLE: readonly (keyof MessageChange)[] = ["is_read", "is_starred", "tags"];

function withContent(transport: Transport, attachment: Attachment): MailAttachment {
  const path = `/api/v1/messages/${attachment.message_id}/attachments/${attachment.id}`;
  const bytes = () => transport.bytes(path);
  return { ...attachment, bytes, text: async () => new TextDecoder().decode(await bytes()) };
}

export async function loadMail(transport: Transport, message: Message, signal?: AbortSignal): Promise<Mail> {
  const { text_body, html_body, preview: _preview, ...fields } = message;
  const path = `/api/v1/messages/${message.id}`;
  const [{ links }, { codes }, { attachments }] = await Promise.all([
    transport.json<LinkList>(`${path}/links`, "links", { signal }),
    transport.json<CodeList>(`${path}/codes`, "codes", { signal }),
    transport.json<AttachmentList>(`${path}/attachments`, "attachments", { signal }),
  ]);
  return {
    ...fields,
    text: text_body,
    html: html_body,
    code: codes[0]?.code ?? null,
    codes,
    links,
    attachments: attachments.map((attachment) => withContent(transport, attachment)),
    raw: () => transport.bytes(`${path}/raw`),
    headers: async () => (await transport.json<HeaderList>(`${path}/headers`, "headers")).headers,
    update: async (change) => {
      // The API passes over what it does not know.
      refuseUnknown(Object(change), CHANGEABLE);
      return transport.json<MessageSummary>(path, "id", { method: "PATCH", json: change });
    },
    delete: async () => void (await transport.send(path, { method: "DELETE" })),
  };
}
