// One mail for a test: the message of the API with codes, links and attachments.
import { optionsOf, type Parameter, refuseUnknown } from "./filter.ts";
import { type SnapshotOptions, snapshotOf } from "./snapshot.ts";
import type { Transport } from "./transport.ts";
import type * as api from "./types.ts";

export interface MailAttachment extends api.Attachment {
  bytes(): Promise<Uint8Array>;
  /** Decoded as UTF-8. */
  text(): Promise<string>;
}

/** An address of a header field; `name` may be empty. */
export type MailAddress = NonNullable<api.MessageHeader["addresses"]>[number];

/** A mail without methods that send requests. `sender` and `recipients` are the envelope's. */
export interface MailContent extends Omit<api.Message, "text_body" | "html_body" | "preview"> {
  /** The first address of the From header. */
  readonly from: MailAddress | null;
  /** The addresses of the To header. */
  readonly to: readonly MailAddress[];
  readonly cc: readonly MailAddress[];
  readonly replyTo: readonly MailAddress[];
  /** The Date header; null if it is missing or not a date. */
  readonly date: Date | null;
  /** The Message-ID header, with its angle brackets. */
  readonly messageId: string | null;
  readonly text: string;
  readonly html: string;
  /** The best guess at the one-time code in the mail, or null. */
  readonly code: string | null;
  /** All guesses at the code, best first. */
  readonly codes: readonly api.MessageCode[];
  /** Every link once: those of the HTML first, then of the text part, then of List- headers. */
  readonly links: readonly api.MessageLink[];
  /** The decoded value of the first field with this name, ignoring case. Null if there is none. */
  header(name: string): string | null;
}

export interface CheckOptions {
  /** All checks by default. */
  readonly only?: readonly api.Check["name"][];
  /** Mail clients by family, platform or name: `["gmail", "ios", "outlook.windows"]`. */
  readonly clients?: readonly string[];
  /** `"fetch"` also requests the links, to see whether they work. */
  readonly links?: "fetch";
  /** DNS records by name and type, instead of real ones: for example before you publish them. */
  readonly dns?: api.CheckRequest["dns"];
}

export interface Mail extends MailContent {
  readonly attachments: readonly MailAttachment[];
  /** The bytes as they were sent. */
  raw(): Promise<Uint8Array>;
  /** Every field of the header, in order. */
  headers(): readonly api.MessageHeader[];
  /** The findings of the checks: HTML support, links, authentication, content, accessibility, spam. */
  checks(options?: CheckOptions): Promise<readonly api.Check[]>;
  /** The SMTP session that delivered the mail. Only those of the last 1,000 mails are known. */
  transcript(): Promise<api.Transcript>;
  /**
   * Text for `expect(mail.snapshot()).toMatchSnapshot()`. Masks what differs each time, such as
   * dates, times, codes, ids and tokens.
   */
  snapshot(options?: SnapshotOptions): string;
  update(change: api.MessageChange): Promise<api.MessageSummary>;
  delete(): Promise<void>;
}

const CHANGEABLE: readonly (keyof api.MessageChange)[] = ["is_read", "is_starred", "tags"];

function withContent(transport: Transport, attachment: api.Attachment): MailAttachment {
  const path = `/api/v1/messages/${attachment.message_id}/attachments/${attachment.id}`;
  const bytes = () => transport.bytes(path);
  return { ...attachment, bytes, text: async () => new TextDecoder().decode(await bytes()) };
}

export function contentOf(
  message: api.Message,
  { headers, links, codes }: api.HeaderList & api.LinkList & api.CodeList,
): MailContent {
  const { text_body, html_body, preview: _preview, ...fields } = message;
  const fieldsOf = (name: string) =>
    headers.filter((field) => field.name.toLowerCase() === name.toLowerCase());
  const addresses = (name: string) => fieldsOf(name).flatMap((field) => field.addresses ?? []);
  const header = (name: string) => fieldsOf(name)[0]?.value ?? null;
  const date = new Date(header("date") ?? Number.NaN);
  return {
    ...fields,
    from: addresses("from")[0] ?? null,
    to: addresses("to"),
    cc: addresses("cc"),
    replyTo: addresses("reply-to"),
    date: Number.isNaN(date.getTime()) ? null : date,
    messageId: header("message-id"),
    text: text_body,
    html: html_body,
    code: codes[0]?.code ?? null,
    codes,
    links,
    header,
  };
}

export async function loadMail(
  transport: Transport,
  message: api.Message,
  signal?: AbortSignal,
): Promise<Mail> {
  const path = `/api/v1/messages/${message.id}`;
  const including = (what: string) => ({ signal, query: [["include", what]] satisfies Parameter[] });
  const [{ headers }, { links }, { codes }, { attachments }] = await Promise.all([
    transport.json<api.HeaderList>(`${path}/headers`, "headers", including("addresses")),
    transport.json<api.LinkList>(`${path}/links`, "links", { signal }),
    transport.json<api.CodeList>(`${path}/codes`, "codes", { signal }),
    transport.json<api.AttachmentList>(`${path}/attachments`, "attachments", including("sha256")),
  ]);
  const content = contentOf(message, { headers, links, codes });
  return {
    ...content,
    attachments: attachments.map((attachment) => withContent(transport, attachment)),
    raw: () => transport.bytes(`${path}/raw`),
    headers: () => headers,
    checks: async (options = {}) => {
      const { only, clients, links, dns } = optionsOf(options, ["only", "clients", "links", "dns"]);
      // A caller in JavaScript may pass a string instead of a list. The server refuses wrong values.
      const query = Object.entries({ only, clients, links }).flatMap(([name, value]): Parameter[] =>
        value === undefined || value === null ? [] : [[name, [value].flat().join()]],
      );
      const posted = dns && { method: "POST" as const, json: { dns } };
      return (await transport.json<api.CheckReport>(`${path}/checks`, "checks", { query, ...posted })).checks;
    },
    transcript: () => transport.json<api.Transcript>(`${path}/transcript`, "lines"),
    snapshot: (options = {}) =>
      snapshotOf({ ...content, headers, attachments }, optionsOf(options, ["mask"])),
    update: async (change) => {
      // The API ignores unknown fields of a change, so a typo would go unnoticed.
      refuseUnknown(Object(change), CHANGEABLE);
      return transport.json<api.MessageSummary>(path, "id", { method: "PATCH", json: change });
    },
    delete: async () => void (await transport.send(path, { method: "DELETE" })),
  };
}
