// Which mail goes into which inbox: by the user of AUTH, the port, a recipient or a header.
import { readHeaders } from "../mime/index.ts";
import { DEFAULT_INBOX, type DeclaredInbox } from "../model/index.ts";
import { type Collector, headerPattern, inHeader, plusWord, wildcard } from "./arrival.ts";

/** How a mail came, as far as that decides about its inbox. */
export interface Arrival {
  /** The inbox that the sender asked for explicitly. */
  readonly inbox?: string | undefined;
  /** Who logged in by SMTP. */
  readonly user?: string | undefined;
  /** The inbox of the port that it came to. */
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

export const IN_DEFAULT: Collector<string> = { push: () => {}, finish: () => DEFAULT_INBOX };

const HEADER = "x-mailkeep-inbox";

export class Placer {
  readonly #places = new Map<string, Place>();
  #inOrder: readonly Place[] = [];

  add({ name, created_at, match = {} }: PlacedInbox): void {
    this.#places.set(name, {
      name,
      // Declared ones in the order of the settings, then the others as they were created: the same after a restart.
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

  /** Decides by what is known before the header. Null if only the header can decide. */
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

  place(arrival: Arrival): Collector<string> {
    const decided = this.decide(arrival);
    if (decided === DEFAULT_INBOX) return IN_DEFAULT;
    if (decided !== null) return { ...IN_DEFAULT, finish: () => decided };
    return inHeader((start) => this.#byHeader(start));
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

  /** Keeps only inboxes with rules of their own. */
  #sort(): void {
    this.#inOrder = [...this.#places.values()]
      .filter(({ user, recipient, header }) => user ?? recipient ?? header)
      .sort((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0));
  }
}
