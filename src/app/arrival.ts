// What Mailkeep learns about a mail while it arrives: its tags and its inbox.
import { readHeaders } from "../mime/index.ts";
import { DEFAULT_INBOX, type DeclaredInbox, MAX_TAGS, Tag } from "../model/index.ts";

/** The rest of a longer header is not read. */
const MAX_HEADER_BYTES = 256 * 1024;
const END_OF_HEADER = /\r?\n\r?\n/;

/** Keeps the header of a mail while its bytes come in. */
export class HeaderStart {
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;

  /** Copies the chunk, because the caller may reuse it. */
  push(chunk: Uint8Array): void {
    if (this.#bytes >= MAX_HEADER_BYTES) return;
    this.#chunks.push(new Uint8Array(chunk));
    const hasEnded = END_OF_HEADER.test(Buffer.from(chunk).toString("latin1"));
    this.#bytes = hasEnded ? MAX_HEADER_BYTES : this.#bytes + chunk.length;
  }

  /** The header, perhaps with the start of the body. */
  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

/** `*` stands for anything. Upper and lower case are the same. */
export function wildcard(pattern: string): (text: string) => boolean {
  const expression = new RegExp(`^${pattern.split("*").map(RegExp.escape).join(".*")}$`, "isu");
  return (text) => expression.test(text);
}

interface Field {
  readonly name: string;
  readonly value: string;
}

/** Finds a header field by a pattern such as `X-Test: checkout*`, or by its name alone. */
export function headerPattern(pattern: string): (fields: readonly Field[]) => boolean {
  const [name = "", ...value] = pattern.split(":");
  const isName = wildcard(name.trim());
  const isValue = wildcard(value.length === 0 ? "*" : value.join(":").trim());
  return (fields) => fields.some((field) => isName(field.name) && isValue(field.value));
}

// Tags from plus-addresses and from a header. Words that the API would refuse as tags are left out.

export interface ArrivalTagging {
  /** Mail to `user+word@…` gets the tag `word`. */
  readonly plusAddresses: boolean;
  /** The comma-separated words of this header are tags. */
  readonly header: string | undefined;
}

const TAG = new RegExp(Tag.pattern ?? "");

/** `start` is the header, perhaps with the start of the body; null if nothing needs the header. */
export function tagsOf(
  { plusAddresses, header }: ArrivalTagging,
  recipients: readonly string[],
  start: Uint8Array | null,
): readonly string[] {
  if (!plusAddresses && header === undefined) return [];
  const fromAddresses = plusAddresses ? recipients.flatMap(plusWord) : [];
  const fromHeader = header === undefined || start === null ? [] : headerWords(start, header);
  return acceptable([...fromAddresses, ...fromHeader]);
}

/** Quotes do not change an address (RFC 5321 section 4.1.2). */
const unquoted = (local: string) =>
  local.length > 1 && local.startsWith('"') && local.endsWith('"')
    ? local.slice(1, -1).replace(/\\(.)/g, "$1")
    : local;

function plusWord(address: string): string[] {
  const local = unquoted(address.slice(0, address.lastIndexOf("@")));
  const plus = local.indexOf("+");
  return plus < 0 ? [] : [local.slice(plus + 1)];
}

function headerWords(raw: Uint8Array, header: string): string[] {
  const wanted = header.toLowerCase();
  return readHeaders(raw)
    .filter(({ name }) => name.toLowerCase() === wanted)
    .flatMap(({ value }) => value.split(","));
}

function acceptable(words: readonly string[]): string[] {
  const tags = new Set(words.map((word) => word.trim()).filter((word) => TAG.test(word)));
  return [...tags].slice(0, MAX_TAGS);
}

// The inbox: selected by the user who logged in with SMTP AUTH, the port, a recipient or a header

/** The facts that select the inbox of a mail, apart from its header. */
export interface Arrival {
  /** The inbox, if a request of the API or a bounce has already chosen it. */
  readonly inbox?: string | undefined;
  readonly user?: string | undefined;
  /** The inbox of the port at which the mail arrived, if the port has one. */
  readonly portInbox?: string | undefined;
  readonly recipients: readonly string[];
}

interface PlacedInbox extends Pick<DeclaredInbox, "name" | "match"> {
  readonly created_at: string | null;
}

interface Place {
  readonly name: string;
  readonly order: string;
  readonly user?: (user: string) => boolean;
  readonly recipient?: (address: string) => boolean;
  readonly header?: (fields: ReturnType<typeof readHeaders>) => boolean;
}

const HEADER = "x-mailkeep-inbox";

export class Placer {
  readonly #places = new Map<string, Place>();
  #inOrder: readonly Place[] = [];

  add({ name, created_at, match = {} }: PlacedInbox): void {
    this.#places.set(name, {
      name,
      // Inboxes of the settings come first, then the others in the order of their creation.
      order: created_at === null ? "" : `${created_at} ${name}`,
      ...(match.user !== undefined && { user: wildcard(match.user) }),
      ...(match.recipient !== undefined && { recipient: wildcard(match.recipient) }),
      ...(match.header !== undefined && { header: headerPattern(match.header) }),
    });
    this.#sort();
  }

  remove(name: string): void {
    this.#places.delete(name);
    this.#sort();
  }

  /** Decides without the header. Null if only the header can decide. */
  decide({ inbox, user, portInbox, recipients }: Arrival): string | null {
    if (inbox !== undefined) return inbox;
    if (user !== undefined) {
      const named = this.#places.get(user.toLowerCase()) ?? this.#inOrder.find((place) => place.user?.(user));
      if (named !== undefined) return named.name;
    }
    if (portInbox !== undefined) return portInbox;
    if (this.#places.size === 1) return DEFAULT_INBOX;
    for (const address of recipients) {
      const [word = ""] = plusWord(address);
      const name = word.toLowerCase();
      if (this.#places.has(name)) return name;
      const wanting = this.#inOrder.find((place) => place.recipient?.(address));
      if (wanting !== undefined) return wanting.name;
    }
    return null;
  }

  place(arrival: Arrival, header: Uint8Array | null): string {
    const decided = this.decide(arrival);
    if (decided !== null) return decided;
    return header === null ? DEFAULT_INBOX : this.#byHeader(header);
  }

  #byHeader(raw: Uint8Array): string {
    const fields = readHeaders(raw);
    const named = fields
      .find(({ name }) => name.toLowerCase() === HEADER)
      ?.value.trim()
      .toLowerCase();
    if (named !== undefined && this.#places.has(named)) return named;
    return this.#inOrder.find((place) => place.header?.(fields))?.name ?? DEFAULT_INBOX;
  }

  #sort(): void {
    this.#inOrder = [...this.#places.values()]
      .filter(({ user, recipient, header }) => user ?? recipient ?? header)
      .sort((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0));
  }
}
