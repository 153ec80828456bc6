// A word that nothing longer begins with is asked for as it is: the answer is the same as for all that begins with it.
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { matchExpressions } from "../../src/store/search/match.ts";
import { TextIndex } from "../../src/store/search/text-index.ts";
import { Words } from "../../src/store/search/words.ts";
import { seeded } from "../support/random.ts";

const WORDS = ["a", "ab", "abc", "abz", "abé", "ab0", "b", "B7", "b\u{f8ff}", "7", "70", "zebra"];
const ASKED = [...WORDS, "AB", "zeb", "c", "a b", "ab 7", '"ab"', '"ab 7"', "zebra 70"];
const ENVELOPE = { subject: "", sender: "", recipients: "" };
const LIMIT = 5;

/** What a search means, in the words of a text: each word is the beginning of one, quoted ones stand as they are. */
function matches(text: readonly string[], q: string): boolean {
  const folded = text.map((word) => word.toLowerCase().replace("é", "e"));
  if (q.startsWith('"')) return ` ${folded.join(" ")} `.includes(` ${q.slice(1, -1)} `);
  const asked = q.toLowerCase().replace("é", "e").split(" ");
  return asked.every((beginning) => folded.some((word) => word.startsWith(beginning)));
}

/** Asked for twice, for the second answer comes from what is remembered of the first. */
function expectAnswers(index: TextIndex, texts: ReadonlyMap<number, readonly string[]>): void {
  for (const q of [...ASKED, ...ASKED]) {
    const expected = [...texts].filter(([, text]) => matches(text, q)).map(([seq]) => seq);
    const { total, seqs } = index.page(matchExpressions(q) ?? [], Number.MAX_SAFE_INTEGER, LIMIT, 0);
    expect({ q, total, seqs: [...seqs] }).toEqual({
      q,
      total: expected.length,
      seqs: expected.reverse().slice(0, LIMIT),
    });
  }
}

describe("of the words order, orders and zebra", () => {
  const db = new Database(":memory:");
  db.run("CREATE VIRTUAL TABLE mail USING fts5 (body)");
  db.run("INSERT INTO mail VALUES ('order orders'), ('zebra zebra'), ('Zebra order')");
  const words = new Words(db);

  test.each([
    ['"order" *', '"order" *', null],
    ['"orders" *', '"orders"', 1],
    ['"ZEBRA" *', '"ZEBRA"', 2],
    ['"zeb" *', '"zeb" *', null],
    ['"zebu" *', '"zebu"', 0],
    ['"order"', '"order"', 2],
    ['"zebra order"', '"zebra order"', null],
    ['"zébra" *', '"zébra" *', null],
  ])("%s becomes %s, whose count is %p", (term, narrowed, count) => {
    expect(words.narrowed([term])).toEqual([narrowed]);
    expect(words.count([narrowed])).toBe(count);
  });

  test("what two words have in common is not known of either", () => {
    expect(words.narrowed(['"order" *', '"zebra" *'])).toEqual(['"order" *', '"zebra"']);
    expect(words.count(['"orders"', '"zebra"'])).toBeNull();
  });
});

describe("any beginning of a word finds what begins with it, whatever else comes, goes and is committed", () => {
  test.each([1, 2, 3, 4, 5, 6])("seed %d", (seed) => {
    const next = seeded(seed);
    const index = new TextIndex(":memory:");
    const texts = new Map<number, string[]>();
    for (let seq = 1; seq <= 40; seq++) {
      const text = Array.from({ length: 1 + next(3) }, () => WORDS[next(WORDS.length)] as string);
      texts.set(seq, text);
      index.add({ seq, ...ENVELOPE, body: text.join(" ") });
      if (next(3) === 0) {
        const gone = 1 + next(seq);
        if (texts.delete(gone)) index.remove(gone);
      }
      if (next(3) === 0) index.commit();
      if (next(4) === 0) expectAnswers(index, texts);
    }
    index.commit();
    expectAnswers(index, texts);
    index.close();
  });
});
