// Large bodies that are kept in memory lie in blocks, and are read as if they lay in one piece.
import { expect, test } from "bun:test";
import { openMemory } from "./open.ts";

const SIZE = 700_001;
const bytes = Uint8Array.from({ length: SIZE }, (_, at) => (at * 7 + (at >> 8)) & 0xff);

async function stored(chunkBytes: number) {
  const store = await openMemory();
  const draft = await store.begin({ sender: "a@example.com", recipients: ["b@example.com"] });
  for (let at = 0; at < SIZE; at += chunkBytes) await draft.append(bytes.slice(at, at + chunkBytes));
  const { id } = await draft.commit();
  return { store, id, raw: await store.raw(id) };
}

test.each([1000, 65_536, 262_144, 300_007, SIZE])(
  "chunks of %i bytes give the same body",
  async (chunkBytes) => {
    const { store, raw } = await stored(chunkBytes);
    expect(raw?.size).toBe(SIZE);
    expect(Buffer.compare((await raw?.bytes()) ?? Buffer.of(), bytes)).toBe(0);
    await store.close();
  },
);

test.each([
  [0, SIZE],
  [0, 10],
  [262_144, 524_288],
  [262_140, 262_150],
  [100_000, 600_000],
  [SIZE - 5, SIZE],
])("from %i to %i every way of reading gives the same", async (start, end) => {
  const { store, raw } = await stored(65_536);
  const expected = Buffer.from(bytes.subarray(start, end));
  expect(expected.equals((await raw?.bytes(start, end)) ?? Buffer.of())).toBe(true);
  expect(expected.equals((await new Response(raw?.stream(start, end)).bytes()) ?? Buffer.of())).toBe(true);
  expect(expected.equals((await raw?.blob(start, end).bytes()) ?? Buffer.of())).toBe(true);
  await store.close();
});

test("two who are sent the whole body get one copy of it", async () => {
  const { store, raw } = await stored(65_536);
  const blob = raw?.blob();
  expect(raw?.blob(0, SIZE)).toBe(blob);
  expect(raw?.blob(0, SIZE - 1)).not.toBe(blob);
  await store.close();
});

test("what is removed, or was never finished, takes no room", async () => {
  const { store, id } = await stored(65_536);
  const draft = await store.begin({ sender: "a@example.com", recipients: ["b@example.com"] });
  await draft.append(bytes);
  draft.abort();
  await store.delete([id]);
  expect((await store.stats()).store_bytes).toBe(0);
  await store.close();
});
