// Files that were cut, overwritten, deleted or locked while Mailkeep was stopped. It starts, shows only what is
// byte for byte what was stored, says in its log what is missing, and goes on taking mail.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { useFolders } from "../../support/folders.ts";
import { type Running, runMailkeep, startMailkeep } from "../../support/mailkeep.ts";
import { Random } from "../../support/random.ts";
import { deliver } from "../../support/smtp-client.ts";
import { health, listAll, rawOf, total } from "./support/mailbox.ts";

setDefaultTimeout(30_000);

const MAILS = 30;
const freshFolder = useFolders();
const stored = new Map<string, Buffer>();
let original: string;

beforeAll(async () => {
  original = mkdtempSync(join(tmpdir(), "mailkeep-damage-"));
  await using server = await startMailkeep({ dataDir: original });
  for (let index = 0; index < MAILS; index++) {
    const filler = `word${index} `.repeat(index % 10 === 9 ? 50_000 : 20);
    const raw = Buffer.from(`Subject: m${index}\r\n\r\n${filler}\r\n`);
    stored.set(await deliver(server.smtpPort, { raw }), raw);
  }
  const [first = ""] = stored.keys();
  await fetch(`${server.http}/api/v1/messages/${first}`, { method: "PATCH", body: '{"is_starred":true}' });
  expect(await total(server.http, "q=word7")).toBe(1);
  await server.stop();
});
afterAll(() => rmSync(original, { recursive: true, force: true }));

function copyOfOriginal(): string {
  const dataDir = freshFolder();
  cpSync(original, dataDir, { recursive: true });
  return dataDir;
}

const lastSegment = (dataDir: string) => join(dataDir, "log", readdirSync(join(dataDir, "log")).at(-1) ?? "");

/** Everything shown is what was stored; answers with how many are shown. */
async function checkShown(server: Running): Promise<number> {
  const shown = await listAll(server.http);
  for (const { id } of shown) {
    const raw = await rawOf(server.http, id);
    expect({ id, same: raw.equals(stored.get(id) ?? Buffer.alloc(0)) }).toEqual({ id, same: true });
  }
  return shown.length;
}

/** New mail is taken, found, sorted after all others, and there after one more start. */
async function checkGoesOn(server: Running, dataDir: string): Promise<void> {
  const raw = "Subject: next\r\n\r\nafterwards\r\n";
  const id = await deliver(server.smtpPort, { raw });
  expect(id > ([...stored.keys()].at(-1) ?? "")).toBe(true);
  expect(await total(server.http, "q=afterwards")).toBe(1);
  expect(await health(server.http)).toBe("ok");
  expect(await server.stop()).toBe(0);
  // Bytes that are damaged stay in the log until it is compacted; they are known.
  const { code, out } = await runMailkeep(["verify", "--data-dir", dataDir]);
  expect({ code, problems: out.split("\n").filter((line) => line.includes("✗")) }).toEqual({
    code: 0,
    problems: [],
  });
  await using again = await startMailkeep({ dataDir });
  expect((await rawOf(again.http, id)).toString()).toBe(raw);
}

/** Ways to spoil a file, by a seed. */
const DAMAGES: Record<string, (bytes: Buffer, random: Random) => Buffer> = {
  "cut off": (bytes, random) => bytes.subarray(0, random.below(bytes.length)),
  "overwritten in the middle": (bytes, random) => {
    const at = random.below(bytes.length);
    return bytes.fill(random.below(256), at, at + 1 + random.below(200));
  },
  "flipped in one bit": (bytes, random) => {
    const at = random.below(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
    return bytes;
  },
  "missing a stretch": (bytes, random) => {
    const at = random.below(bytes.length);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(500))]);
  },
  "followed by nonsense": (bytes, random) =>
    Buffer.concat([bytes, Buffer.from(Array.from({ length: 300 }, () => random.below(256)))]),
};

describe.each(Object.entries(DAMAGES))("a log that is %s", (_, spoil) => {
  test.each([1, 2])("shows only whole mails and takes new ones (seed %i)", async (seed) => {
    const dataDir = copyOfOriginal();
    const path = lastSegment(dataDir);
    writeFileSync(path, spoil(readFileSync(path), new Random(seed)));
    await using server = await startMailkeep({ dataDir });
    const shown = await checkShown(server);
    const reported = server.lines.some((line) => /damaged|tail|lost|missing/.test(line));
    expect({ shown, reported: reported || shown === MAILS }).toEqual({ shown, reported: true });
    await checkGoesOn(server, dataDir);
  });
});

const INDEX_FAULTS: Record<string, (path: string) => void> = {
  deleted: (path) => rmSync(path),
  empty: (path) => truncateSync(path, 0),
  "cut in half": (path) => truncateSync(path, statSync(path).size >> 1),
  "full of nonsense": (path) => writeFileSync(path, Buffer.alloc(statSync(path).size, "nonsense")),
  "a folder's worth of zeros": (path) => writeFileSync(path, Buffer.alloc(8192)),
};

describe.each(Object.entries(INDEX_FAULTS))("an index that is %s", (_, spoil) => {
  test.each(["index.sqlite", "search.sqlite"])("is made anew from the log (%s)", async (name) => {
    const dataDir = copyOfOriginal();
    spoil(join(dataDir, name));
    await using server = await startMailkeep({ dataDir });
    expect(await checkShown(server)).toBe(MAILS);
    expect(await total(server.http, "starred=true")).toBe(1);
    expect(await total(server.http, "q=word7")).toBe(1);
    await checkGoesOn(server, dataDir);
  });
});

test.each(["index.sqlite", "search.sqlite"])(
  "an index that another process has locked does not hold the mail back (%s)",
  async (name) => {
    const dataDir = copyOfOriginal();
    const holder = new Database(join(dataDir, name));
    holder.run("PRAGMA locking_mode = EXCLUSIVE");
    holder.run("BEGIN EXCLUSIVE");
    try {
      await using server = await startMailkeep({ dataDir });
      expect(await checkShown(server)).toBe(MAILS);
      expect(await total(server.http, "q=word7")).toBe(1);
      await checkGoesOn(server, dataDir);
    } finally {
      holder.close();
    }
  },
);
