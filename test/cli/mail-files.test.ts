import { afterAll, describe, expect, test } from "bun:test";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { guessEnvelope } from "../../src/cli/mail/envelope.ts";
import { fileOf, findMailFiles } from "../../src/cli/mail/mail-files.ts";
import { readMails } from "../../src/cli/mail/read-mails.ts";
import { tempFolder } from "../support/folders.ts";

const { path: folder, remove } = tempFolder();
afterAll(remove);

async function write(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await mkdir(join(path, ".."), { recursive: true });
  await Bun.write(path, text);
  return path;
}

const noInput = async () => new Uint8Array();

/** Returns the mails, and the sentences about skipped files, in which `…` stands for the folder. */
async function read(...paths: string[]) {
  const mails: string[] = [];
  const { files, problems } = await findMailFiles(paths, noInput);
  const leftOut = [...problems];
  for (const file of files) {
    for await (const found of readMails(file, "rd")) {
      if ("problem" in found) leftOut.push(found.problem);
      else mails.push(Buffer.from(found.bytes).toString());
    }
  }
  return { mails, leftOut: leftOut.map((problem) => problem.replaceAll(folder, "…")) };
}

const readAll = async (...paths: string[]) => (await read(...paths)).mails;
const noMail = (path: string) =>
  `…/${path} is skipped: it does not look like a mail, and its name does not end in .eml`;

describe("mail is found", () => {
  test.each([
    ["from.eml", "From me to you: no header here\r\nTo: x@y.test\r\n\r\nx\r\n"],
    ["undated", "From MAILER-DAEMON\nSubject: x\n\nbody\n"],
    ["nothing.eml", ""],
  ])("whole in a file that only looks like an mbox: %s", async (name, text) => {
    expect(await readAll(await write(name, text))).toEqual([text]);
  });

  test("twice in an mbox that begins with From alone", async () => {
    const two = "From \r\nA: 1\r\n\r\nFrom \r\nA: 2\r\n";
    expect(await readAll(await write("Inbox", two))).toEqual(["A: 1\r\n", "A: 2\r\n"]);
  });

  test("in a Maildir, in the order of delivery, without tmp and hidden files", async () => {
    await write("Maildir/cur/1700000010.a.host:2,S", "10");
    await write("Maildir/new/900000000.b.host", "9");
    await write("Maildir/new/1700000020.c.host", "20");
    await write("Maildir/tmp/1700000005.d.host", "tmp");
    await write("Maildir/cur/.hidden", "hidden");
    expect(await readAll(join(folder, "Maildir"))).toEqual(["9", "10", "20"]);
  });

  test("in a folder of .eml files, in the order of their names", async () => {
    await write("kept/02.eml", "2");
    await write("kept/01.eml", "1");
    await write("kept/notes.txt", "no mail");
    expect(await read(join(folder, "kept"))).toEqual({
      mails: ["1", "2"],
      leftOut: [noMail("kept/notes.txt")],
    });
  });

  test("in the order of their ids, whose digits are not numbers", async () => {
    const ids = ["01KA10ZZZZZZZZZZZZZZZZZZZZ", "01KA9ZZZZZZZZZZZZZZZZZZZZZ"];
    for (const id of ids) await write(`exported/${id}.eml`, id);
    expect(await readAll(join(folder, "exported"))).toEqual(ids);
  });

  test("whole in a Maildir, though it begins like an mbox", async () => {
    const text =
      "From a@x.test Sat Nov 14 10:00:00 2026\nA: 1\n\n>From x\n\nFrom b@x.test Sat Nov 14 10:00:01 2026\n";
    await write("Delivered/cur/1700000030.a.host:2,S", text);
    expect(await readAll(join(folder, "Delivered"))).toEqual([text]);
  });

  test("in a folder, in files of any name that begin like a mail", async () => {
    await write("flat/b@mailhog.example", "Subject: b\n\n");
    await write("flat/a@mailhog.example", "Received: a\n\n");
    await write("flat/notes", "just words");
    expect(await readAll(join(folder, "flat"))).toEqual(["Received: a\n\n", "Subject: b\n\n"]);
  });

  test("after a byte order mark, which hid its sender", async () => {
    const text = "\ufeffFrom: a@x.test\nTo: b@x.test\n\n";
    expect(await readAll(await write("marked", text))).toEqual([text]);
    expect(guessEnvelope(Buffer.from(text), [])).toEqual({ sender: "a@x.test", recipients: ["b@x.test"] });
  });

  test("one after the other in an mbox, with the progress of each", async () => {
    const line = "From a@x.test Sat Nov 14 10:00:00 2026\n";
    const path = await write("three", `${line}A: 1\n\n`.repeat(3));
    const size = Bun.file(path).size;
    const found = await Array.fromAsync(readMails(fileOf(path, Bun.file(path)), "rd"));
    expect(found.map(({ position }) => position)).toEqual([5, 10, size]);
  });

  test("in an mbox that begins with a byte order mark", async () => {
    const separator = "From a@x.test Sat Nov 14 10:00:00 2026\n";
    const mbox = `\ufeff${separator}A: 1\n\none\n\n${separator}A: 2\n\n\ufeff${separator}`;
    expect(await readAll(await write("marked.mbox", mbox))).toEqual([
      "A: 1\n\none\n",
      `A: 2\n\n\ufeff${separator}`,
    ]);
  });

  test("neither in an empty folder nor in one that does not exist, and a line says so", async () => {
    await mkdir(join(folder, "empty"));
    const given = [join(folder, "empty"), join(folder, "absent")];
    const { files, problems } = await findMailFiles(given, noInput);
    expect(files).toEqual([]);
    expect(problems).toEqual([
      expect.stringContaining("there is no mail in the folder"),
      expect.stringMatching(/^cannot read .*\/absent: there is no such file or folder$/),
    ]);
  });

  test("in the subfolders of a Maildir", async () => {
    await write("Maildir++/cur/1700000001.a", "1");
    await write("Maildir++/.Sent/cur/1700000003.c", "3");
    await write("Maildir++/.Archive.2026/new/1700000002.b", "2");
    await write("Maildir++/.git/config", "no mail");
    expect(await readAll(join(folder, "Maildir++"))).toEqual(["1", "2", "3"]);
  });
});

const LINE = "From a@x.test Sat Nov 14 10:00:00 2026\n";

describe("a file is read in the same way, whether it is named or found in a folder", () => {
  test.each([
    ["box.mbox", `${LINE}A: 1\n\n${LINE}A: 2\n\n`, ["A: 1\n", "A: 2\n"]],
    ["box", `${LINE}A: 1\n\n`, ["A: 1\n"]],
    ["one.eml", "no header", ["no header"]],
    ["dated.eml", `${LINE}A: 1\n\n${LINE}`, [`${LINE}A: 1\n\n${LINE}`]],
    ["packed.eml", "PK\x03\x04", ["PK\x03\x04"]],
    ["one", "Subject : 1\n\n", ["Subject : 1\n\n"]],
    ["deep/down/one", "A: 1\n\n", ["A: 1\n\n"]],
    ["empty", "", []],
    ["empty.mbox", "", []],
    ["new/1700000001.a", "no header", ["no header"]],
    ["new/2026.mbox", `${LINE}A: 1\n\n${LINE}A: 2\n\n`, ["A: 1\n", "A: 2\n"]],
  ])("%s", async (name, text, mails) => {
    const path = await write(`alone-${name}/${name}`, text);
    expect(await read(path)).toEqual({ mails, leftOut: [] });
    expect(await read(join(folder, `alone-${name}`))).toEqual({ mails, leftOut: [] });
    await write(`alone-${name}/zz.eml`, "beside");
    expect(await read(join(folder, `alone-${name}`))).toEqual({ mails: [...mails, "beside"], leftOut: [] });
  });

  test.each([
    ["words.txt", "just words\n"],
    ["picture.png", "\x89PNG\r\n\x1a\n\0\0"],
    ["book.pdf", "%PDF-1.7\n"],
    ["new/picture.png", "\x89PNG\r\n\x1a\n\0\0"],
    ["packed.gz", "\x1f\x8b\x08"],
    ["id=@mailhog.example", "HELO:<me>\r\nFROM:<a@x.test>\r\nTO:<b@x.test>\r\n\r\nA: 1\r\n\r\n"],
  ])("%s is not a mail and is named", async (name, text) => {
    const path = await write(`none/${name}/${name}`, text);
    const leftOut = [noMail(`none/${name}/${name}`)];
    expect(await read(path)).toEqual({ mails: [], leftOut });
    expect(await read(join(path, ".."))).toEqual({ mails: [], leftOut });
  });

  test("a path that is neither a file nor a folder is named", async () => {
    await write("links/1.eml", "1");
    await symlink("..", join(folder, "links/up"));
    expect(await read(join(folder, "links"))).toEqual({
      mails: ["1"],
      leftOut: ["cannot read the mail: …/links/up is not a file, or a link to a folder"],
    });
  });
});

test("a link out of a folder is not followed: the file may be private", async () => {
  await write("from-elsewhere-secret", "Subject: secret\n\n");
  await write("from-elsewhere/1.eml", "1");
  await symlink("../from-elsewhere-secret", join(folder, "from-elsewhere/2.eml"));
  await symlink("1.eml", join(folder, "from-elsewhere/3.eml"));
  const leftOut = ["cannot read the mail: …/from-elsewhere/2.eml is a link out of the folder"];
  expect(await read(join(folder, "from-elsewhere"))).toEqual({ mails: ["1", "1"], leftOut });
  await symlink("from-elsewhere", join(folder, "linked"));
  expect(await readAll(join(folder, "linked"))).toEqual(["1", "1"]);
});

describe("the envelope of a stored mail", () => {
  test.each([
    [
      "Return-Path before From",
      "Return-Path: <b@x.test>\nFrom: a@x.test\nTo: c@x.test\n\n",
      [],
      "b@x.test",
      ["c@x.test"],
    ],
    [
      "From",
      "From: Ann <a@x.test>\nTo: c@x.test\nCc: d@x.test\n\n",
      [],
      "a@x.test",
      ["c@x.test", "d@x.test"],
    ],
    [
      "a bounce has the null sender",
      "Return-Path: <>\nFrom: a@x.test\nTo: c@x.test\n\n",
      [],
      "",
      ["c@x.test"],
    ],
    [
      "Delivered-To before To",
      "From: a@x.test\nTo: list@x.test\nDelivered-To: c@x.test\n\n",
      [],
      "a@x.test",
      ["c@x.test"],
    ],
    ["--to before all", "From: a@x.test\nTo: c@x.test\n\n", ["z@x.test"], "a@x.test", ["z@x.test"]],
    ["a local user has no domain", "From: root (Cron)\nTo: root\n\n", [], "root", ["root"]],
    ["nothing known", "Subject: s\n\n", [], "", []],
  ])("%s", (_name, mail, given, sender, recipients) => {
    expect(guessEnvelope(Buffer.from(mail), given)).toEqual({ sender, recipients });
  });
});
