// Reads a stored message: bodies, parts, headers, preview. Results that many requests need are cached while there
// is room and the message exists. Null means that there is no such message.
import { nextTurn, streamOf } from "../lib/runtime.ts";
import {
  type AttachmentPart,
  type BodyParser,
  type DigestAlgorithm,
  decodePart,
  digestOf,
  type Findings,
  listAttachments,
  type MimeStructure,
  type Outcome,
  type ParsedBodies,
  readPreview,
  type SanitizedHtml,
  startStructureScan,
  together,
  wholeIf,
} from "../mime/index.ts";
import type {
  AuthResults,
  Message,
  MessageCode,
  MessageHeader,
  MessageLink,
  MessagePreview,
} from "../model/index.ts";
import type { RawMessage, Store, StoreChange } from "../store/index.ts";
import { BoundedCache } from "./bounded-cache.ts";

export interface MessageReaderOptions {
  readonly store: Store;
  readonly bodyParser: BodyParser;
}

const MiB = 1024 * 1024;
const BODY_CACHE_BYTES = 64 * MiB;
const PREVIEW_CACHE_BYTES = 8 * MiB;
const SAFE_HTML_CACHE_BYTES = 40 * MiB;
/** A header is shown up to 1 MiB. One more byte shows whether it is longer. */
const HEADER_BYTES = MiB + 1;
const PREVIEW_BYTES = 256 * 1024;
const PIECE_BYTES = 256 * 1024;
/**
 * The bytes that are scanned in one turn. This takes 10 to 40 ms in the slowest case, a header full
 * of MIME-encoded names.
 */
const SCANNED_BYTES = 32 * 1024;

const isLasting = ({ mayImprove }: Outcome) => !mayImprove;

export class MessageReader {
  readonly #store: Store;
  readonly #bodyParser: BodyParser;
  readonly #bodies = new BoundedCache<ParsedBodies>(
    BODY_CACHE_BYTES,
    ({ text_body, html_body }) => 2 * (text_body.length + html_body.length),
    isLasting,
  );
  readonly #structures = new BoundedCache<MimeStructure>(
    BODY_CACHE_BYTES,
    ({ root }) => 2 * JSON.stringify(root).length,
  );
  readonly #previews = new BoundedCache<MessagePreview>(
    PREVIEW_CACHE_BYTES,
    (preview) => 2 * JSON.stringify(preview).length,
  );
  /** By message and options. */
  readonly #safeHtml = new BoundedCache<Findings<SanitizedHtml>>(
    SAFE_HTML_CACHE_BYTES,
    ({ found }) => 2 * found.html.length,
    isLasting,
  );

  constructor({ store, bodyParser }: MessageReaderOptions) {
    this.#store = store;
    this.#bodyParser = bodyParser;
    store.onChange((change) => this.#forget(change));
  }

  async message(id: string): Promise<Findings<Message> | null> {
    const summary = await this.#store.get(id);
    const bodies = summary && (await this.bodies(id));
    if (!bodies) return null;
    const { text_body, html_body, parsed, mayImprove } = bodies;
    return { found: { ...summary, text_body, html_body }, parsed, mayImprove };
  }

  bodies(id: string): Promise<ParsedBodies | null> {
    return this.#bodies.get(id, async () => {
      const [raw, structure] = await Promise.all([this.#store.raw(id), this.structure(id)]);
      return raw && structure && this.#bodyParser.parse(raw, structure);
    });
  }

  structure(id: string): Promise<MimeStructure | null> {
    return this.#structures.get(id, async () => {
      const raw = await this.#store.raw(id);
      return raw && scanned(raw);
    });
  }

  async attachments(id: string): Promise<Findings<AttachmentPart[]> | null> {
    const structure = await this.structure(id);
    return structure && { found: listAttachments(id, structure), ...wholeIf(structure.truncated === null) };
  }

  async digest(id: string, part: AttachmentPart, algorithm: DigestAlgorithm): Promise<string | null> {
    const content = await this.open(id, part);
    return content && digestOf(content, algorithm);
  }

  async open(id: string, { part }: AttachmentPart): Promise<ReadableStream<Uint8Array> | null> {
    const raw = await this.#store.raw(id);
    return raw && decodePart(part.encoding, streamOf(readGently(raw, part.start, part.end)));
  }

  async headers(id: string): Promise<Findings<MessageHeader[]> | null> {
    const headers = await this.addressedHeaders(id);
    return headers && { ...headers, found: headers.found.map(({ name, value }) => ({ name, value })) };
  }

  /** Fields such as From and To come with the addresses in them. */
  async addressedHeaders(id: string): Promise<Findings<MessageHeader[]> | null> {
    const start = await this.#start(id, HEADER_BYTES);
    return start && this.#bodyParser.readHeaders(start);
  }

  async authResults(id: string): Promise<Findings<AuthResults> | null> {
    const start = await this.#start(id, HEADER_BYTES);
    return start && this.#bodyParser.readAuthResults(start);
  }

  /** `inline` followed by an escaped Content-ID is the address of an inline image. */
  async safeHtml(
    id: string,
    options: { inline: string; remote: boolean },
  ): Promise<Findings<SanitizedHtml> | null> {
    const bodies = await this.bodies(id);
    if (!bodies) return null;
    const key = JSON.stringify({ id, ...options });
    const safe = await this.#safeHtml.get(key, () =>
      this.#bodyParser.sanitizeHtml(bodies.html_body, options),
    );
    return safe && { ...safe, ...together(bodies, safe) };
  }

  /** The safe HTML of an attached mail. The API has no path to its inline images, so they become data URLs. */
  async attachedHtml(
    id: string,
    part: AttachmentPart,
    remote: boolean,
  ): Promise<Findings<SanitizedHtml> | null> {
    const content = await this.open(id, part);
    if (!content) return null;
    const bytes = await new Response(content).bytes();
    const raw = {
      size: bytes.length,
      bytes: async (start?: number, end?: number) => bytes.subarray(start, end),
    };
    const structure = await scanned(raw);
    const bodies = await this.#bodyParser.parse(raw, structure);
    const inline = await imagesOf(bytes, structure);
    const safe = await this.#bodyParser.sanitizeHtml(bodies.html_body, { inline, remote });
    return { ...safe, ...together(bodies, safe) };
  }

  async links(id: string): Promise<Findings<MessageLink[]> | null> {
    const [bodies, headers] = await Promise.all([this.bodies(id), this.headers(id)]);
    if (!bodies || !headers) return null;
    const links = await this.#bodyParser.findLinks({ ...asWritten(bodies), headers: headers.found });
    return { ...links, ...together(bodies, headers, links) };
  }

  async codes(id: string): Promise<Findings<MessageCode[]> | null> {
    const [summary, bodies] = await Promise.all([this.#store.get(id), this.bodies(id)]);
    if (!summary || !bodies) return null;
    const codes = await this.#bodyParser.findCodes({ subject: summary.subject, ...asWritten(bodies) });
    return { ...codes, ...together(bodies, codes) };
  }

  /** An arrow function, because it is called without its object. */
  readonly preview = (id: string): Promise<MessagePreview | null> =>
    this.#previews.get(id, async () => {
      const start = await this.#start(id, PREVIEW_BYTES);
      return start && readPreview(start);
    });

  async #start(id: string, bytes: number): Promise<Uint8Array | null> {
    const raw = await this.#store.raw(id);
    return raw ? raw.bytes(0, Math.min(raw.size, bytes)) : null;
  }

  #forget(change: StoreChange): void {
    if (change.kind !== "deleted" && change.kind !== "cleared") return;
    this.#safeHtml.clear();
    for (const cache of [this.#bodies, this.#structures, this.#previews]) {
      if (change.kind === "cleared") cache.clear();
      else for (const id of change.ids) cache.delete(id);
    }
  }
}

const IMAGE = /^image\/[\w.+-]+$/i;

async function imagesOf(bytes: Uint8Array, structure: MimeStructure): Promise<Map<string, string>> {
  const images = new Map<string, string>();
  for (const { attachment, part, contentId } of listAttachments("", structure)) {
    if (contentId === undefined || !IMAGE.test(attachment.content_type)) continue;
    const content = decodePart(part.encoding, new Blob([bytes.slice(part.start, part.end)]).stream());
    const base64 = (await new Response(content).bytes()).toBase64();
    images.set(contentId, `data:${attachment.content_type};base64,${base64}`);
  }
  return images;
}

/** The bodies that the mail itself has, without a text derived from the HTML. */
const asWritten = ({ html_body, text_body, text_is_derived }: ParsedBodies) => ({
  html: html_body,
  text: text_is_derived ? "" : text_body,
});

type RawBytes = Pick<RawMessage, "size" | "bytes">;

/** Reads in pieces, so that other requests do not wait for a large mail. */
async function* readGently(raw: RawBytes, start = 0, end = raw.size): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end; at += PIECE_BYTES) {
    yield await raw.bytes(at, Math.min(end, at + PIECE_BYTES));
    await nextTurn();
  }
}

async function scanned(raw: RawBytes): Promise<MimeStructure> {
  const scan = startStructureScan();
  for await (const piece of readGently(raw)) {
    for (let at = 0; at < piece.length; at += SCANNED_BYTES) {
      scan.push(piece.subarray(at, at + SCANNED_BYTES));
      await nextTurn();
    }
  }
  return scan.finish();
}
