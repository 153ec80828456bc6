import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { crc32, deflateRawSync } from "node:zlib";
import { zip } from "../../src/app/zip.ts";
import { fileOf, type MailFile } from "../../src/cli/mail/mail-files.ts";
import { readMails } from "../../src/cli/mail/read-mails.ts";
import { tempFolder } from "../support/folders.ts";

const { path: folder, remove } = tempFolder();
afterAll(remove);

async function* entriesOf(files: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries(files)) {
    const bytes = Buffer.from(text, "latin1");
    yield {
      name,
      time: new Date(0),
      size: bytes.length,
      bytes: async () => bytes,
      stream: () => new Blob([bytes]).stream(),
    };
  }
}

const zipOf = async (files: Readonly<Record<string, string>>) =>
  Buffer.concat(await Array.fromAsync(zip(entriesOf(files))));

async function read(file: MailFile) {
  const mails: string[] = [];
  const leftOut: string[] = [];
  let last = 0;
  for await (const found of readMails(file, "rd")) {
    expect(found.position).toBeGreaterThanOrEqual(last);
    last = found.position;
    if ("problem" in found) leftOut.push(found.problem);
    else mails.push(Buffer.from(found.bytes).toString("latin1"));
  }
  return { mails, leftOut };
}

const readBytes = (content: Buffer) => read(fileOf("a.zip", new Blob([new Uint8Array(content)])));

const small = `A: 1\r\n\r\n${"compressible ".repeat(20)}`;
const large = `A: 2\r\n\r\n${Array.from({ length: 300_000 }, (_, index) => index).join("\xff\n")}`;

test("the mails of the zip file that export writes are read, to the byte", async () => {
  const content = await zipOf({ "1.eml": small, "2.eml": "", "3.eml": large, "4.eml": "no header\0" });
  const path = join(folder, "a.zip");
  await Bun.write(path, content);
  const expected = { mails: [small, "", large, "no header\0"], leftOut: [] };
  expect(await read(fileOf(path, Bun.file(path)))).toEqual(expected);
  expect(await readBytes(content)).toEqual(expected);
});

/** A file in a zip, packed, with any size in its header. */
function packed(name: string, content: Buffer, claimedSize: number): Buffer {
  const data = deflateRawSync(content);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(8, 8);
  header.writeUInt32LE(crc32(content), 14);
  header.writeUInt32LE(data.length, 18);
  header.writeUInt32LE(claimedSize, 22);
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, Buffer.from(name), data]);
}

test.each([
  ["its true size", 101],
  ["a small one", 1],
])(
  "a file in a zip that unpacks to more than 100 MiB is skipped, even with %s in its header",
  async (_, claim) => {
    const bomb = packed("1.eml", Buffer.alloc(101 * 1024 ** 2, "A: 1\n"), claim * 1024 ** 2);
    expect(bomb.length).toBeLessThan(1024 ** 2);
    expect(await readBytes(Buffer.concat([bomb, await zipOf({ "2.eml": "stored" })]))).toEqual({
      mails: ["stored"],
      leftOut: ["a.zip/1.eml is larger than 100 MiB: unpack the zip file first"],
    });
  },
);

test("a zip in a zip is skipped", async () => {
  const inner = await zipOf({ "1.eml": small });
  expect(await readBytes(await zipOf({ "2.zip": inner.toString("latin1"), "3.eml": "3" }))).toEqual({
    mails: ["3"],
    leftOut: ["a.zip/2.zip is skipped: it is a zip file inside another zip file; unpack that one first"],
  });
});

test("an empty zip has no mail", async () => {
  expect(await readBytes(await zipOf({}))).toEqual({ mails: [], leftOut: [] });
});

test("a file of no bytes is cut off", async () => {
  expect(await readBytes(Buffer.alloc(0))).toEqual({
    mails: [],
    leftOut: ["a.zip: the zip file is incomplete"],
  });
});

test("files in a zip follow the same rules as files in a folder", async () => {
  const line = "From a@x.test Sat Nov 14 10:00:00 2026\n";
  const box = `${line}A: 1\n\n${line}A: 2\n\n`;
  expect(await readBytes(await zipOf({ "folder/": "", box, "b.txt": "words" }))).toEqual({
    mails: ["A: 1\n", "A: 2\n"],
    leftOut: ["a.zip/b.txt is skipped: it does not look like a mail, and its name does not end in .eml"],
  });
});

test("hidden files in a zip are not mail: macOS adds one to each file", async () => {
  const files = {
    ".DS_Store": "\0\0\0\x01Bud1",
    "1.eml": small,
    "__MACOSX/._1.eml": "\0\x05\x16\x07",
    "m/.Sent/cur/2.eml": "2",
  };
  expect(await readBytes(await zipOf(files))).toEqual({ mails: [small, "2"], leftOut: [] });
});

describe("an error names", () => {
  const files = { "1.eml": small, "2.eml": "stored", "3.eml": small };

  test("a damaged mail, and the others are read", async () => {
    for (const byte of ["compressed", "stored"] as const) {
      const content = await zipOf(files);
      const at =
        byte === "stored" ? content.indexOf("stored") : content.indexOf("1.eml") + "1.eml".length + 9;
      content[at] = (content[at] ?? 0) ^ 0xff;
      const { mails, leftOut } = await readBytes(content);
      expect(mails).toHaveLength(2);
      expect(leftOut).toEqual([`a.zip/${byte === "stored" ? 2 : 1}.eml is damaged`]);
    }
  });

  test("a zip that is cut off anywhere", async () => {
    const content = await zipOf(files);
    const directory = content.indexOf("PK\x01\x02", 0, "latin1");
    for (let length = 4; length < directory + 4; length++) {
      const { mails, leftOut } = await readBytes(content.subarray(0, length));
      expect(mails.length).toBeLessThanOrEqual(3);
      expect(leftOut).toEqual(["a.zip: the zip file is incomplete"]);
    }
  });

  test("a zip with other bytes between the files", async () => {
    const content = await zipOf(files);
    content.write("XX", content.indexOf("PK\x03\x04", 4, "latin1"));
    expect(await readBytes(content)).toEqual({ mails: [small], leftOut: ["a.zip: the zip file is damaged"] });
  });

  test.each([
    ["encrypted", 6, 1],
    ["with lengths after the files", 6, 8],
    ["of another method", 8, 93],
  ])("a zip of a form that Mailkeep does not write: %s", async (_name, at, value) => {
    const content = await zipOf(files);
    content[at] = value;
    const problem = "a.zip: this kind of zip file cannot be read; unpack it and import the folder";
    expect(await readBytes(content)).toEqual({ mails: [], leftOut: [problem] });
  });
});
