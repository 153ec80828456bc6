// Records what clients sent, changed, deleted and cleared, and which of it was acknowledged. After a crash the ledger
// knows which mails must be there, which must not, and which may be.
import type { Summary } from "../../../support/mailbox.ts";

interface Marks {
  readonly is_starred: boolean;
  readonly tags: readonly string[];
}

interface Entry {
  readonly subject: string;
  readonly raw: Buffer;
  readonly sentAt: number;
  id: string | null;
  ackedAt: number | null;
  /** The last acknowledged star and tags. `asked` holds those of a request that is not answered yet. */
  marks: Marks;
  asked: Marks | null;
  deletion: "none" | "asked" | "done";
}

interface Clear {
  readonly askedAt: number;
  doneAt: number;
}

const UNMARKED: Marks = { is_starred: false, tags: [] };
const NEVER = Number.POSITIVE_INFINITY;
const same = (a: Marks, b: Marks) => a.is_starred === b.is_starred && a.tags.join() === b.tags.join();

export class Ledger {
  readonly #entries = new Map<string, Entry>();
  #clears: Clear[] = [];
  #time = 0;
  /** How many mails, changes, deletions and clears were acknowledged so far. */
  acknowledged = 0;

  get size(): number {
    return this.#entries.size;
  }

  send(subject: string, raw: Buffer): void {
    const entry = { id: null, ackedAt: null, marks: UNMARKED, asked: null, deletion: "none" } as const;
    this.#entries.set(subject, { ...entry, subject, raw, sentAt: ++this.#time });
  }

  stored(subject: string, id: string): void {
    const entry = this.#entry(subject);
    entry.id = id;
    entry.ackedAt = ++this.#time;
    this.acknowledged++;
  }

  mark(subject: string, marks: Marks): void {
    this.#entry(subject).asked = marks;
  }

  /** `found` is false for a 404. */
  marked(subject: string, found: boolean): void {
    const entry = this.#entry(subject);
    if (!found && !this.#mayBeGone(entry)) throw new Error(`${subject} was not found, but nobody deleted it`);
    if (found && entry.asked) entry.marks = entry.asked;
    entry.asked = null;
    this.acknowledged++;
  }

  delete(subject: string): void {
    this.#entry(subject).deletion = "asked";
  }

  deleted(subject: string): void {
    this.#entry(subject).deletion = "done";
    this.acknowledged++;
  }

  clear(): { done(): void } {
    const clear: Clear = { askedAt: ++this.#time, doneAt: NEVER };
    this.#clears.push(clear);
    return {
      done: () => {
        clear.doneAt = ++this.#time;
        this.acknowledged++;
      },
    };
  }

  /** Compares with the mailbox and returns every difference that a crash does not explain. */
  differences(found: readonly Summary[]): string[] {
    const problems: string[] = [];
    const bySubject = new Map(found.map((summary) => [summary.subject, summary]));
    if (bySubject.size !== found.length) problems.push("a mail is there twice");
    for (const { subject } of found)
      if (!this.#entries.has(subject)) problems.push(`${subject} is there, but nobody sent it`);
    for (const entry of this.#entries.values()) {
      const summary = bySubject.get(entry.subject);
      problems.push(...(summary ? this.#whyWrong(entry, summary) : this.#whyMissing(entry)));
    }
    return [...problems, ...this.#halfCleared(bySubject)];
  }

  rawOf(subject: string): Buffer {
    return this.#entry(subject).raw;
  }

  /** Takes this mailbox as the state before the next crash. */
  settle(found: readonly Summary[]): void {
    const bySubject = new Map(found.map((summary) => [summary.subject, summary]));
    this.#clears = [];
    for (const entry of [...this.#entries.values()]) {
      const summary = bySubject.get(entry.subject);
      if (!summary) {
        this.#entries.delete(entry.subject);
        continue;
      }
      entry.id = summary.id;
      entry.ackedAt ??= ++this.#time;
      entry.marks = { is_starred: summary.is_starred, tags: summary.tags };
      entry.asked = null;
      entry.deletion = "none";
    }
  }

  #whyWrong(entry: Entry, { id, size, is_starred, tags }: Summary): string[] {
    const { subject, raw, marks, asked } = entry;
    const shown = { is_starred, tags };
    const known = same(shown, marks) || (asked !== null && same(shown, asked));
    return [
      ...(this.#mustBeGone(entry) ? [`${subject} came back`] : []),
      ...(entry.id !== null && entry.id !== id ? [`${subject} has another id`] : []),
      ...(size === raw.length ? [] : [`${subject} has ${size} bytes, not ${raw.length}`]),
      ...(known ? [] : [`${subject} is marked ${JSON.stringify(shown)}, not ${JSON.stringify(marks)}`]),
    ];
  }

  #whyMissing(entry: Entry): string[] {
    return entry.ackedAt === null || this.#mayBeGone(entry) ? [] : [`${entry.subject} is lost`];
  }

  /** An unanswered clear must have removed all mail or none. */
  #halfCleared(bySubject: ReadonlyMap<string, Summary>): string[] {
    const open = this.#clears.find(({ doneAt }) => doneAt === NEVER);
    if (!open) return [];
    const judged = [...this.#entries.values()].filter(
      (entry) => (entry.ackedAt ?? NEVER) < open.askedAt && !this.#mayBeGone(entry, open),
    );
    const there = judged.filter(({ subject }) => bySubject.has(subject)).length;
    return there === 0 || there === judged.length
      ? []
      : [`a clear was half done: ${there} of ${judged.length} are left`];
  }

  #mustBeGone({ deletion, ackedAt }: Entry): boolean {
    return (
      deletion === "done" ||
      this.#clears.some(({ askedAt, doneAt }) => doneAt !== NEVER && (ackedAt ?? NEVER) < askedAt)
    );
  }

  #mayBeGone({ deletion, sentAt }: Entry, besides?: Clear): boolean {
    return deletion !== "none" || this.#clears.some((clear) => clear !== besides && clear.doneAt > sentAt);
  }

  #entry(subject: string): Entry {
    const entry = this.#entries.get(subject);
    if (!entry) throw new Error(`the ledger knows no ${subject}`);
    return entry;
  }
}
