// A damaged message is never served. It leaves the mailbox with one log line and a copy of the remains; all other
// mail stays.
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { appendFileSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type FileStoreOptions, verifyStore } from "../../src/store/index.ts";
import { collectingLogger } from "../support/collecting-logger.ts";
import { useFolders } from "../support/folders.ts";
import { bytesOf, mail, namesIn, put, rawOf, subjectsOf } from "./open.ts";
import { openQuick } from "./search-in-process.ts";

const freshFolder = useFolders();
const open = (dir: string, options: Partial<FileStoreOptions> = {}) =>
  openQuick(dir, { largeBytes: 1000, ...options });

const BODIES = { small: "s".repeat(300), large: "l".repeat(3000) };
type Kind = keyof typeof BODIES;

/** Stores three messages, all small or all large. The test damages the one in the middle. */
async function threeMails(dir: string, kind: Kind) {
  const { logger, lines } = collectingLogger("warn");
  const store = await open(dir, { logger });
  const ids: string[] = [];
  for (const name of ["before", "doomed", "after"]) ids.push((await put(store, mail(name, BODIES[kind]))).id);
  return { store, lines, ids, doomed: ids[1] ?? "" };
}

function changeByte(path: string, near: string): void {
  const bytes = readFileSync(path);
  const at = bytes.indexOf(near) + near.length;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

const fileOf = (dir: string, kind: Kind, id: string) =>
  kind === "large" ? join(dir, "large", `${id}.eml`) : join(dir, "log", namesIn(dir, "log")[0] ?? "");

describe.each(["small", "large"] as const)("a %s message", (kind) => {
  test("with a changed byte is not served, leaves the mailbox, and is copied and named once", async () => {
    const dir = freshFolder();
    const { store, lines, ids, doomed } = await threeMails(dir, kind);
    changeByte(fileOf(dir, kind, doomed), "Subject: doomed\r\n\r\n");
    const changes: unknown[] = [];
    store.onChange((change) => changes.push(change));
    expect([await store.raw(doomed), await store.get(doomed), await store.raw(doomed)]).toEqual([
      null,
      null,
      null,
    ]);
    expect(changes).toEqual([{ kind: "deleted", ids: [doomed], inboxes: ["default"] }]);
    const named = lines.filter(({ event }) => event === "message damaged");
    expect(named).toMatchObject([{ id: doomed }]);
    expect(readFileSync(String(named[0]?.copy)).includes("Subject: doomed")).toBe(true);
    expect(await rawOf(store, ids[0] ?? "")).toEqual(bytesOf(mail("before", BODIES[kind])));
    expect(await rawOf(store, ids[2] ?? "")).toEqual(bytesOf(mail("after", BODIES[kind])));
    expect([await subjectsOf(store), await store.count({ q: "doomed" })]).toEqual([["after", "before"], 0]);
    await store.close();
    rmSync(join(dir, "index.sqlite"));
    const again = await open(dir);
    expect(await subjectsOf(again)).toEqual(["after", "before"]);
    await again.close();
  });
});

test.each([
  ["is missing", (path: string) => rmSync(path)],
  ["is shorter than it was", (path: string) => truncateSync(path, 2000)],
])("a large message whose file %s is not served, and leaves the mailbox", async (_, spoil) => {
  const dir = freshFolder();
  const { store, doomed, lines } = await threeMails(dir, "large");
  spoil(fileOf(dir, "large", doomed));
  expect(await Promise.all([store.raw(doomed), store.raw(doomed)])).toEqual([null, null]);
  expect(await subjectsOf(store)).toEqual(["after", "before"]);
  expect(lines.map(({ event }) => event)).toEqual(["message damaged"]);
  await store.close();
});

test("bytes after the end of a large body are not served", async () => {
  const dir = freshFolder();
  const { store, doomed } = await threeMails(dir, "large");
  appendFileSync(fileOf(dir, "large", doomed), "more");
  expect(await rawOf(store, doomed)).toEqual(bytesOf(mail("doomed", BODIES.large)));
  await store.close();
});

test("mail found damaged at the start is in no list, count or search, and is named once", async () => {
  const dir = freshFolder();
  const store = await open(dir);
  await put(store, mail("small", BODIES.small));
  const { id } = await put(store, mail("large", BODIES.large));
  await put(store, mail("after"));
  await store.close();
  const [segment = ""] = namesIn(dir, "log");
  changeByte(join(dir, "log", segment), '"subject":"small"');
  changeByte(join(dir, "log", segment), '"subject":"large"');
  for (const events of [["log damaged", "large body without record"], []]) {
    const { logger, lines } = collectingLogger("warn");
    const again = await open(dir, { logger });
    expect([
      await subjectsOf(again),
      await again.count({}),
      await again.count({ q: "small OR large" }),
    ]).toEqual([["after"], 1, 0]);
    expect(lines.map(({ event }) => event)).toEqual(events);
    await again.close();
  }
  expect(namesIn(dir, "damaged")).toContain(`${id}.eml`);
});

test("a message that was damaged while Mailkeep was off is not served, with and without its index", async () => {
  for (const hasIndex of [true, false]) {
    const dir = freshFolder();
    const { store, ids, doomed } = await threeMails(dir, "small");
    await store.close();
    changeByte(fileOf(dir, "small", doomed), "Subject: doomed\r\n\r\n");
    if (!hasIndex) rmSync(join(dir, "index.sqlite"));
    const { logger, lines } = collectingLogger("error");
    const again = await open(dir, { logger });
    for (const id of ids) expect((await again.raw(id)) !== null).toBe(id !== doomed);
    expect(await subjectsOf(again)).toEqual(["after", "before"]);
    expect(lines[0]?.event).toBe("log damaged");
    expect(existsSync(String(lines[0]?.copy))).toBe(true);
    await put(again, mail("next"));
    await again.close();
    const last = await open(dir);
    expect(await subjectsOf(last)).toEqual(["next", "after", "before"]);
    await last.close();
  }
});

test.each(["at = at + 1", "segment = 9"])(
  "a row that is wrong about the place of a message (%s) removes no mail, and the next start rebuilds it",
  async (wrong) => {
    const dir = freshFolder();
    const { store, doomed: intact } = await threeMails(dir, "small");
    await store.close();
    const db = new Database(join(dir, "index.sqlite"), { strict: true });
    db.run(`UPDATE message SET ${wrong} WHERE id = ?`, [intact]);
    db.close();
    const { logger, lines } = collectingLogger("warn");
    const damaged = await open(dir, { logger });
    await expect(damaged.raw(intact)).rejects.toMatchObject({ code: "index_damaged" });
    expect(lines.map(({ event }) => event)).toEqual(["index damaged"]);
    await damaged.close();
    const again = await open(dir);
    expect(await rawOf(again, intact)).toEqual(bytesOf(mail("doomed", BODIES.small)));
    await again.close();
  },
);

test("bytes inserted into a record cost its message only, although the places of all later ones change", async () => {
  const dir = freshFolder();
  const { store, ids } = await threeMails(dir, "small");
  await store.close();
  const path = fileOf(dir, "small", "");
  const bytes = readFileSync(path);
  const at = bytes.indexOf("Subject: doomed");
  writeFileSync(path, Buffer.concat([bytes.subarray(0, at), Buffer.from("x"), bytes.subarray(at)]));
  const again = await open(dir);
  expect(await subjectsOf(again)).toEqual(["after", "before"]);
  expect(await rawOf(again, ids[2] ?? "")).toEqual(bytesOf(mail("after", BODIES.small)));
  await again.close();
});

test("a damaged record that is not in rebuilt rows is found by no search", async () => {
  const dir = freshFolder();
  const { store } = await threeMails(dir, "small");
  await store.indexed();
  await store.close();
  changeByte(fileOf(dir, "small", ""), "Subject: doomed\r\n\r\n");
  rmSync(join(dir, "index.sqlite"));
  const again = await open(dir);
  expect([await subjectsOf(again), await again.count({ q: "doomed" })]).toEqual([["after", "before"], 0]);
  await again.close();
});

test("an empty segment that is not the last is named once, verify reports it, and its large bodies are kept", async () => {
  const dir = freshFolder();
  const store = await open(dir, { segmentBytes: 1000 });
  for (let n = 0; n < 6; n++) await put(store, mail(`m${n}`, "x".repeat(n === 2 ? 3000 : 500)));
  await store.close();
  const large = namesIn(dir, "large");
  const file = namesIn(dir, "log").find((name) =>
    readFileSync(join(dir, "log", name)).includes('"subject":"m2"'),
  );
  truncateSync(join(dir, "log", file ?? ""), 0);
  for (const name of ["index.sqlite", "search.sqlite"]) rmSync(join(dir, name));
  const { problems } = await verifyStore({ dir });
  expect(problems).toEqual([`${file} is empty: its mail is lost`]);
  for (const lines of [[{ event: "log damaged", file }, { event: "large body without record" }], []]) {
    const collected = collectingLogger("warn");
    const again = await open(dir, { logger: collected.logger });
    expect(await subjectsOf(again)).not.toContain("m2");
    expect(await subjectsOf(again)).toContain("m5");
    expect(collected.lines).toMatchObject(lines);
    await again.close();
  }
  expect(namesIn(dir, "damaged")).toEqual(expect.arrayContaining(large));
});
