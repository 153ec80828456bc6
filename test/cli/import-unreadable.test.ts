import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { connect } from "../../src/client/index.ts";
import { useFolders } from "../support/folders.ts";
import { mailkeepCommand, type Running, startMailkeep } from "../support/mailkeep.ts";
import { asNobody, canBeNobody } from "../support/nobody.ts";
import { runCommand } from "../support/run-command.ts";

const freshFolder = useFolders();
let server: Running;
let folder: string;
beforeAll(async () => {
  server = await startMailkeep();
});
afterAll(() => server.stop());
beforeEach(async () => {
  folder = freshFolder();
  await chmod(folder, 0o755);
});
afterEach(async () => void (await connect({ url: server.http, since: "all" }).clear()));

const mail = (number: number) => `To: a@x.test\r\nSubject: ${number}\r\n\r\n`;
const importOf = (path: string) => ["import", "--smtp", `127.0.0.1:${server.smtpPort}`, path];
const subjects = async () =>
  (await connect({ url: server.http, since: "all" }).list()).map(({ subject }) => subject).reverse();

/** For each kind of folder the file names of three mails. */
const FOLDERS = {
  "eml files": ["1.eml", "2.eml", "3.eml"],
  "files without a telling name": ["1", "2", "3"],
  "a Maildir": ["cur/1.a", "new/2.b", "cur/3.c"],
} as const;
const kinds = Object.keys(FOLDERS) as (keyof typeof FOLDERS)[];

async function fill(names: readonly string[], second: (path: string) => Promise<void>): Promise<string> {
  for (const [index, name] of names.entries()) {
    const path = join(folder, name);
    await mkdir(join(path, ".."), { recursive: true });
    if (index === 1) await second(path);
    else await writeFile(path, mail(index + 1));
  }
  return join(folder, names[1] ?? "");
}

describe("a mail that cannot be read is named and does not end the import", () => {
  test.each(kinds)("a link that leads nowhere among %s", async (kind) => {
    const path = await fill(FOLDERS[kind], (at) => symlink("nowhere", at));
    const { code, out, err } = await runCommand(importOf(folder));
    expect({ code, out }).toEqual({ code: 1, out: expect.stringMatching(/^2 mails imported, 1 not/) });
    expect(err).toMatch(new RegExp(`^mailkeep: cannot read ${path}: there is no such file or folder\\n`));
    expect(await subjects()).toEqual(["1", "3"]);
  });

  test.skipIf(!canBeNobody).each(kinds)("a file of another user among %s", async (kind) => {
    const path = await fill(FOLDERS[kind], (at) => writeFile(at, mail(2), { mode: 0o600 }));
    const { code, out, err } = await asNobody(mailkeepCommand(importOf(folder)));
    expect({ code, out }).toEqual({ code: 1, out: expect.stringMatching(/^2 mails imported/) });
    expect(err).toMatch(new RegExp(`^mailkeep: cannot read ${path}: permission denied\\n`, "m"));
    expect(await subjects()).toEqual(["1", "3"]);
  });

  test.skipIf(!canBeNobody)("a subfolder of another user in a Maildir", async () => {
    await fill(["cur/1", ".Sent/cur/2", "cur/3"], (at) => writeFile(at, mail(2)));
    await chmod(join(folder, ".Sent"), 0o700);
    const { code, err } = await asNobody(mailkeepCommand(importOf(folder)));
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/^mailkeep: cannot read [^\n]+\/\.Sent: permission denied\n/),
    });
    expect(await subjects()).toEqual(["1", "3"]);
  });
});

test("a link to a mail is read", async () => {
  await fill(FOLDERS["eml files"], async (at) => {
    await writeFile(join(folder, ".kept"), mail(2));
    await symlink(".kept", at);
  });
  expect((await runCommand(importOf(folder))).code).toBe(0);
  expect(await subjects()).toEqual(["1", "2", "3"]);
});

const hasPipes = Bun.which("mkfifo") !== null;
test.skipIf(!hasPipes)("a pipe, which cannot be read twice, is read to its end", async () => {
  const pipe = join(folder, "pipe");
  Bun.spawnSync(["mkfifo", pipe]);
  const separator = "From a@x.test Sat Nov 14 10:00:00 2026\n";
  await writeFile(join(folder, "mbox"), `${separator}${mail(1)}\n${separator}${mail(2)}\n`);
  await using _writer = Bun.spawn(["sh", "-c", 'cat "$0" > "$1"', join(folder, "mbox"), pipe]);
  expect(await runCommand(importOf(pipe))).toEqual({
    code: 0,
    out: expect.stringMatching(/^2 mails imported/),
    err: expect.any(String),
  });
  expect(await subjects()).toEqual(["1", "2"]);
});

describe("control characters in the name of a file do not reach the terminal", () => {
  const name = "a\u001b[31m\r::error::x";
  const shown = "a\ufffd[31m\ufffd::error::x";

  test("if other files are mails", async () => {
    await fill(["1.eml", name, "3.eml"], (path) => writeFile(path, "no mail"));
    expect((await runCommand(importOf(folder))).err).toContain(`${shown} is skipped`);
  });

  test("if it is the only file and cannot be read", async () => {
    await symlink("nowhere", join(folder, name));
    expect((await runCommand(importOf(folder))).err).toContain(`${shown}: there is no such file or folder`);
  });
});
