// Keeps the latest SMTP sessions that stored a mail or got a refusal, in memory. Their texts are made on request, so
// that receiving mail stays fast.
import { isoTime } from "../lib/time.ts";
import { UlidSource } from "../lib/ulid.ts";
import type { Rejection, RejectionList, Transcript } from "../model/index.ts";
import { isWithin, type Scope } from "../store/index.ts";

const MAX_KEPT_MAILS = 1000;
const MAX_REJECTIONS = 1000;
/** Limits for one part of a session. The rest is left out. */
const MAX_PART_LINES = 500;
const MAX_PART_CHARS = 16 * 1024;

const DROPPED = "(connection dropped)";

/** A line of the client, the size of a message, or a reply. */
type Said = string | number | { readonly wire: string };

class Part {
  /** Lines, message sizes and replies, each followed by its time in milliseconds. */
  readonly said: Said[] = [];
  chars = 0;

  /** `openingLength` is the length of the session's opening when this part began. */
  constructor(readonly openingLength = 0) {}
}

/** One session: its opening with all logins, and a part for each mail. */
export class SessionTranscript {
  readonly client: string;
  readonly opening = new Part();
  part = this.opening;
  tls: Transcript["tls"] = null;
  /** The end of a fault's delay, in milliseconds. The transcript shows delayed replies at this time. */
  silentUntil = 0;

  constructor(client: string) {
    this.client = client;
  }

  startMail(): void {
    this.part = new Part(this.opening.said.length);
  }

  /** Greetings, STARTTLS and logins count for all later mails of the session, so they belong to the opening. */
  resumeOpening(): void {
    this.part = this.opening;
  }

  /** A line without passwords, or the number of bytes of a message. */
  recordInput(said: string | number): void {
    if (typeof said === "string") this.part.chars += said.length;
    this.add(said);
  }

  add(said: Said): void {
    const { part } = this;
    if (part.said.length >= 2 * MAX_PART_LINES || part.chars >= MAX_PART_CHARS) return;
    part.said.push(said, Math.max(Date.now(), this.silentUntil));
  }
}

interface Kept {
  readonly id: string;
  readonly session: SessionTranscript;
  readonly part: Part;
  /** Copied, because the session may start TLS later. */
  readonly tls: Transcript["tls"];
}

interface Refused extends Kept {
  readonly inbox: string;
  /** The length of the part up to the refusal. Later lines may belong to another inbox. */
  readonly length: number;
  readonly rejection: Rejection;
}

/** The stage of the refusal, and the envelope as far as it was known. */
export interface Refusal extends Pick<Rejection, "stage" | "sender"> {
  readonly recipients: readonly string[];
}

export class Transcripts {
  /** An array, because a map would make every mail slower, and transcripts are rarely asked for. */
  readonly #mails: Kept[] = [];
  #refused: Refused[] = [];
  readonly #ids = new UlidSource();

  keep(id: string, session: SessionTranscript): void {
    const { part, tls } = session;
    addLatest(this.#mails, { id, session, part, tls }, MAX_KEPT_MAILS);
  }

  /** `inbox` is where the mail would have gone. */
  refuse(
    session: SessionTranscript,
    wire: string,
    { stage, sender, recipients }: Refusal,
    inbox: string,
  ): void {
    const { part, client, tls } = session;
    const ms = Date.now();
    const id = this.#ids.next(ms);
    const reply = wire.trimEnd() || DROPPED;
    const rejection = { id, at: isoTime(ms), stage, reply, sender, recipients: [...recipients], client };
    addLatest(
      this.#refused,
      { id, session, part, length: part.said.length, tls, inbox, rejection },
      MAX_REJECTIONS,
    );
  }

  /** A new inbox with the same name must not see these refusals. */
  forgetInbox(name: string): void {
    this.#refused = this.#refused.filter(({ inbox }) => inbox !== name);
  }

  /** Null if the mail did not come by SMTP, or if its session was forgotten. */
  ofMail(id: string): Transcript | null {
    const kept = this.#mails.find((kept) => kept.id === id);
    return kept === undefined ? null : transcriptOf(kept, kept.part.said.length);
  }

  ofRejection(id: string, scope: Scope = null): Transcript | null {
    const refused = this.#refused.find((kept) => kept.id === id);
    if (!refused || !isWithin(scope, refused.inbox)) return null;
    return transcriptOf(refused, scope === null ? refused.part.said.length : refused.length);
  }

  rejections(limit: number, scope: Scope = null): RejectionList {
    const refused = this.#refused.filter(({ inbox }) => isWithin(scope, inbox)).reverse();
    return { rejections: refused.slice(0, limit).map(({ rejection }) => rejection), total: refused.length };
  }
}

function addLatest<Item>(items: Item[], item: Item, max: number): void {
  items.push(item);
  if (items.length > max) items.shift();
}

function transcriptOf({ part, tls, session: { client, opening } }: Kept, length: number): Transcript {
  const before = part === opening ? [] : linesOf(opening, part.openingLength);
  return { client, tls, lines: [...before, ...linesOf(part, length)] };
}

type Line = Transcript["lines"][number];

function linesOf(part: Part, length: number): Line[] {
  const { said, chars } = part;
  const lines: Line[] = [];
  for (let index = 0; index < length; index += 2) {
    const at = isoTime(said[index + 1] as number);
    const what = said[index] as Said;
    if (typeof what === "string") lines.push({ at, from: "client", text: what.toWellFormed() });
    else if (typeof what === "number") lines.push({ at, from: "client", text: `(${what} bytes)` });
    else {
      const replies = (what.wire.trimEnd() || DROPPED).split("\r\n");
      for (const text of replies) lines.push({ at, from: "server", text });
    }
  }
  const isCut = length === said.length && (length >= 2 * MAX_PART_LINES || chars >= MAX_PART_CHARS);
  const last = lines.at(-1);
  if (isCut && last) lines.push({ at: last.at, from: "server", text: "(further lines are left out)" });
  return lines;
}
