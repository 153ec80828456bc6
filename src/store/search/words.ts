// The words that the text index knows. A word is searched for as the beginning of words, and FTS5 gathers the matches
// of all these before it answers: where there is no longer one, the word alone is the same question, and a quick one.
import type { Database, Statement } from "bun:sqlite";
import type { Match } from "./protocol.ts";

/** What the tokenizer makes one word of, but for its case. */
const ONE_WORD = /^"([A-Za-z0-9]+)"( \*)?$/;
/** Characters of words lie between these. */
const [FIRST, LAST] = ["0", "\u{10ffff}"];

export class Words {
  readonly #longer: Statement;
  readonly #holding: Statement<{ doc: number }, [string]>;

  constructor(db: Database) {
    db.run("CREATE VIRTUAL TABLE temp.word USING fts5vocab ('main', 'mail', 'row')");
    this.#longer = db.prepare("SELECT 1 FROM word WHERE term >= ? AND term <= ? LIMIT 1");
    this.#holding = db.prepare("SELECT doc FROM word WHERE term = ?");
  }

  /** The same match, with whole words where no longer ones begin with them. */
  narrowed(match: Match): Match {
    return match.map((term) => {
      const [, word, isBeginning] = ONE_WORD.exec(term) ?? [];
      return word === undefined || isBeginning === undefined || this.#isBegun(word) ? term : `"${word}"`;
    });
  }

  /** How many texts match, where that is known of a word; null otherwise. */
  count([term = "", ...others]: Match): number | null {
    const [, word, isBeginning] = ONE_WORD.exec(term) ?? [];
    if (word === undefined || isBeginning !== undefined || others.length > 0) return null;
    return this.#holding.get(word.toLowerCase())?.doc ?? 0;
  }

  close(): void {
    for (const statement of [this.#longer, this.#holding]) statement.finalize();
  }

  /** Whether longer words begin with this one. */
  #isBegun(word: string): boolean {
    const begun = word.toLowerCase();
    return this.#longer.get(begun + FIRST, begun + LAST) !== null;
  }
}
