// Random input for the log reader and the query parser. Neither may throw, and a damaged log shows only mails that were
// stored.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { searchText } from "../../src/mime/index.ts";
import { joinAlternatives, type Question, questionOf, split } from "../../src/store/question.ts";
import { selectSeqs } from "../../src/store/rows/filter-sql.ts";
import { ROWS_SCHEMA } from "../../src/store/rows/schema.ts";
import { TextIndex } from "../../src/store/search/text-index.ts";
import { openIndex } from "../../src/store/sqlite.ts";
import { tempFolder } from "../support/folders.ts";
import { seeded } from "../support/random.ts";
import { copyTo, mail, put, rawOf } from "./open.ts";
import { openQuick } from "./search-in-process.ts";

const open = (dir: string) => openQuick(dir, { segmentBytes: 700 });

/** Removes, doubles or zeroes a range of the bytes, cuts off the end, or overwrites one byte. */
function damage(bytes: Buffer, random: (below: number) => number): Buffer {
  const at = random(bytes.length);
  const length = 1 + random(60);
  const stretch = bytes.subarray(at, at + length);
  switch (random(5)) {
    case 0:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), stretch, bytes.subarray(at)]);
    case 2:
      return bytes.fill(0, at, Math.min(bytes.length, at + length));
    case 3:
      return bytes.subarray(0, at);
    default:
      bytes[at] = random(256);
      return bytes;
  }
}

function check(holds: boolean, seed: number, what: string): void {
  if (!holds) throw new Error(`seed ${seed}: ${what}`);
}

/** Fills a store, damages a copy of its log, opens the copy, checks what it shows and that it takes new mail. */
export async function fuzzLogOnce(seed: number): Promise<void> {
  const [whole, copy] = [tempFolder(), tempFolder()];
  try {
    const random = seeded(seed);
    const stored = await fillAndCopy(whole.path, copy.path, random);
    for (let times = 1 + random(3); times > 0; times--) {
      const names = readdirSync(join(copy.path, "log"));
      const path = join(copy.path, "log", names[random(names.length)] ?? "");
      writeFileSync(path, damage(readFileSync(path), random));
    }
    await checkDamaged(copy.path, stored, seed);
  } finally {
    whole.remove();
    copy.remove();
  }
}

/** Copies the folder while the store is open, so the copy is like that of a killed store. */
async function fillAndCopy(dir: string, copy: string, random: (below: number) => number) {
  const store = await open(dir);
  const stored = new Map<string, string>();
  for (let i = 0; i < 12; i++) {
    const raw = mail(`m${i}`, "x".repeat(random(200)));
    const { id } = await put(store, raw);
    stored.set(id, raw);
    if (i % 4 === 3) await store.update([id], { is_starred: true });
  }
  copyTo(copy, dir);
  await store.close();
  return stored;
}

async function checkDamaged(dir: string, stored: ReadonlyMap<string, string>, seed: number): Promise<void> {
  if (seed % 2 === 0) rmSync(join(dir, "index.sqlite"));
  const store = await open(dir);
  for (const id of await store.walk({})) {
    // Damage that the start did not notice is found when the message is read. Then the message is removed.
    const raw = await rawOf(store, id);
    if (raw === null) continue;
    check(new TextDecoder().decode(raw) === stored.get(id), seed, `${id} is not what was stored`);
  }
  const { id } = await put(store, mail("next"));
  check(id > ([...stored.keys()].at(-1) ?? ""), seed, "the ids went back");
  check((await store.count({ subject: "next" })) === 1, seed, "the next mail is not there once");
  await store.close();
}

const QUERY_PIECES = [
  ..."ab\"'*():^-+{}[]~|&<>=,.;\\/ \t\n\0\u0301äß中ี＂🎉\ud800",
  "AND ",
  " OR ",
  "NOT ",
  "NEAR(",
  ...["from:", "header:x-a=", "header:", "tag:", "before:", "after:", "larger:", "is:", "nonsense:"],
  ...["is:read", "is:starred", "has:attachment", "2d", "1MB", "2026-11-14", " -", "-(", " (", ") "],
];

/** `once` runs random queries on the text index and the rows, and throws if a query fails. */
export function queryFuzzer(): { once(seed: number): void; close(): void } {
  const index = new TextIndex(":memory:", 0);
  index.add(
    { seq: 1, inbox: "default", subject: "Ärger", sender: "a@b.c", recipients: ["d@e.f"] },
    searchText(new Uint8Array()),
  );
  const { db } = openIndex(":memory:", ROWS_SCHEMA, 0);
  const ask = ({ match, filter, mixed }: Question) => {
    if (match !== null) index.page(match, Number.MAX_SAFE_INTEGER, 10, 0);
    const { sql, params } = selectSeqs(filter);
    db.query(sql).all(...params);
    for (const { of } of mixed) for (const node of joinAlternatives(of)) ask(split(node));
  };
  return {
    once(seed) {
      const random = seeded(seed);
      for (let i = 0; i < 30; i++) {
        const q = Array.from({ length: random(12) }, () => QUERY_PIECES[random(QUERY_PIECES.length)]).join(
          "",
        );
        try {
          const question = questionOf({ q }, 0);
          if (question !== null) ask(question);
        } catch (cause) {
          throw new Error(`seed ${seed}: the query ${JSON.stringify(q)} fails`, { cause });
        }
      }
    },
    close: () => {
      index.close();
      db.close();
    },
  };
}
