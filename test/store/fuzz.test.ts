// Seeded nonsense against the log reader and the query parser: neither may throw, and what a damaged log
// still shows is byte for byte what was stored.
import { expect, test } from "bun:test";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { matchExpression } from "../../src/store/search/match.ts";
import { TextIndex } from "../../src/store/search/text-index.ts";
import { useFolders } from "./folders.ts";
import { mail, openFiles, put, rawOf } from "./open.ts";
import { seeded } from "./seeded.ts";

const freshFolder = useFolders();

/** Cuts, flips, overwrites, doubles or fills with zeros some stretch of the bytes. */
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

test.each(Array.from({ length: 40 }, (_, seed) => seed))(
  "a log damaged at random places opens (seed %i)",
  async (seed) => {
    const random = seeded(seed);
    const dir = freshFolder();
    const store = await openFiles(dir, { segmentBytes: 700 });
    const stored = new Map<string, string>();
    for (let i = 0; i < 12; i++) {
      const raw = mail(`m${i}`, "x".repeat(random(200)));
      const { id } = await put(store, raw);
      stored.set(id, raw);
      if (i % 4 === 3) await store.update([id], { is_starred: true });
    }
    const copy = freshFolder();
    cpSync(dir, copy, { recursive: true });
    await store.close();
    for (let times = 1 + random(3); times > 0; times--) {
      const names = readdirSync(join(copy, "log"));
      const path = join(copy, "log", names[random(names.length)] ?? "");
      writeFileSync(path, damage(readFileSync(path), random));
    }
    const again = await openFiles(copy, { reindex: seed % 2 === 0, segmentBytes: 700 });
    for (const id of await again.walk({})) {
      expect(new TextDecoder().decode((await rawOf(again, id)) ?? undefined)).toBe(
        stored.get(id) ?? "never stored",
      );
    }
    const { id } = await put(again, mail("next"));
    expect(id > ([...stored.keys()].at(-1) ?? "")).toBe(true);
    expect(await again.count({ subject: "next" })).toBe(1);
    await again.close();
  },
);

test("no query makes the text index fail", () => {
  const random = seeded(7);
  const index = new TextIndex(":memory:");
  index.add({ seq: 1, subject: "Ärger", body: "some words", sender: "a@b.c", recipients: '["d@e.f"]' });
  const alphabet = [
    ..."ab\"'*():^-+{}[]~|&<>=,.;\\/ \t\n\0\u0301äß中🎉\ud800",
    "AND ",
    "OR ",
    "NOT ",
    "NEAR(",
  ];
  for (let i = 0; i < 3000; i++) {
    const q = Array.from({ length: random(12) }, () => alphabet[random(alphabet.length)]).join("");
    const match = matchExpression(q);
    if (match === null) continue;
    expect(() => index.page(match, Number.MAX_SAFE_INTEGER, 10, 0), JSON.stringify(q)).not.toThrow();
  }
  index.close();
});
