// Files of the log under each other's names, as a restore gone wrong leaves them: nothing of them is a second copy.
import { describe, expect, test } from "bun:test";
import { cpSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { startScan } from "../../src/mime/index.ts";
import { type Store, verifyStore } from "../../src/store/index.ts";
import { useFolders } from "../support/folders.ts";
import { mail, openFiles, put } from "./open.ts";

const freshFolder = useFolders();
const OPTIONS = { segmentBytes: 500 };
/** Of any generation: changes are soon rewritten. */
const nameOf = (dir: string, number: number) =>
  readdirSync(join(dir, "log")).find((name) => Number.parseInt(name, 10) === number) ?? "";

/** Mails of the same size in a segment each; a segment behind them that holds changes, and one more mail. */
async function filledFolder(): Promise<{ dir: string; before: Mailbox }> {
  const dir = freshFolder();
  const store = await openFiles(dir, OPTIONS);
  const ids: string[] = [];
  for (let i = 0; i < 4; i++) ids.push((await put(store, mail(`m${i}`, "x".repeat(500)))).id);
  for (let i = 0; i < 10; i++) await store.update(ids, { is_read: i % 2 === 1, tags: [`t${i}`] });
  await put(store, mail("last", "x".repeat(500)));
  const before = await mailbox(store);
  await store.close();
  return { dir, before };
}

type Mailbox = Awaited<ReturnType<typeof mailbox>>;

const mailbox = async (store: Store) => ({
  page: await store.list({ filter: {}, limit: 50 }),
  found: await store.count({ q: "m1" }),
});

const logOf = (dir: string) =>
  Object.fromEntries(
    readdirSync(join(dir, "log")).map((name) => [name, Bun.hash(readFileSync(join(dir, "log", name)))]),
  );

function exchange(dir: string, one: number, other: number): void {
  const aside = join(dir, "aside");
  const [first, second] = [one, other].map((number) => join(dir, "log", nameOf(dir, number))) as [
    string,
    string,
  ];
  renameSync(first, aside);
  renameSync(second, first);
  renameSync(aside, second);
}

describe("sound mail was set aside as a second copy where two files had exchanged names:", () => {
  const EXCHANGES: [number, number][] = [
    [1, 2],
    [2, 4],
    [1, 6],
    [5, 6],
  ];
  const cases = EXCHANGES.flatMap(([one, other]) =>
    [/^$/, /^index/, /^(index|search)/].map((removed) => ({ one, other, removed })),
  );

  test.each(cases)("$one and $other, without the files $removed", async ({ one, other, removed }) => {
    const { dir, before } = await filledFolder();
    exchange(dir, one, other);
    for (const name of readdirSync(dir)) if (removed.test(name)) rmSync(join(dir, name));
    const log = logOf(dir);
    const errors = [
      await verifyStore({ dir, startScan }).catch((error) => error),
      await openFiles(dir, OPTIONS).catch((error) => error),
    ];
    for (const { code, message } of errors) {
      expect(code).toBe("data_dir_unusable");
      for (const number of [one, other]) expect(message).toContain(nameOf(dir, number));
    }
    expect(logOf(dir)).toEqual(log);
    expect(readdirSync(dir)).not.toContain("damaged");
    exchange(dir, one, other);
    const store = await openFiles(dir, OPTIONS);
    expect(await mailbox(store)).toEqual(before);
    await store.close();
  });
});

test("mail of another time with the same numbers is no second copy, either", async () => {
  const { dir } = await filledFolder();
  const other = freshFolder();
  cpSync(dir, other, { recursive: true });
  const [here, there] = [await openFiles(dir, OPTIONS), await openFiles(other, OPTIONS)];
  for (const store of [here, there]) {
    for (let i = 0; i < 3; i++) await put(store, mail("since", "x".repeat(500)));
    await store.close();
  }
  const last = readdirSync(join(other, "log")).toSorted().at(-2) ?? "";
  const name = join(dir, "log", "0000000099-0.seg");
  cpSync(join(other, "log", last), name);
  const { code, message } = await openFiles(dir, OPTIONS).catch((error) => error);
  expect(code).toBe("data_dir_unusable");
  expect(message).toContain(name);
  rmSync(name);
  const store = await openFiles(dir, OPTIONS);
  expect(await store.count({})).toBe(8);
  await store.close();
});
