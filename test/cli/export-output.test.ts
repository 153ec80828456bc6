import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { lstatSync } from "node:fs";
import { chmod, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mailkeepCommand, type Running, startMailkeep } from "../support/mailkeep.ts";
import { asNobody, canBeNobody } from "../support/nobody.ts";
import { runCommand } from "../support/run-command.ts";
import { deliver } from "../support/smtp-client.ts";
import { until } from "../support/until.ts";

let server: Running;
let folder: string;
beforeAll(async () => {
  server = await startMailkeep();
  await deliver(server.smtpPort, { raw: "Subject: kept\r\n\r\nbody\r\n" });
});
afterAll(() => server.stop());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mailkeep-output-"));
});
afterEach(() => rm(folder, { recursive: true }));

const at = (name: string) => join(folder, name);
const exportTo = (path: string) => runCommand(["export", "--url", server.http, "--output", path]);
const SAVED = { code: 0, out: "", err: expect.stringMatching(/^1 mail saved in \S+(?: \(\d+ B\))?\n$/) };
const MBOX = /^From [\s\S]+\nSubject: kept\r?\n/;

const hasPipes = Bun.which("mkfifo") !== null;
test.skipIf(!hasPipes)("a pipe is written to, not replaced by a file", async () => {
  Bun.spawnSync(["mkfifo", at("pipe")]);
  await using reader = Bun.spawn(["cat", at("pipe")], { stdout: "pipe" });
  expect(await exportTo(at("pipe"))).toEqual(SAVED);
  expect(lstatSync(at("pipe")).isFIFO()).toBe(true);
  expect(await new Response(reader.stdout).text()).toMatch(MBOX);
});

/** Makes a device like /dev/full, where every write fails. 1 and 7 are its numbers on Linux. */
const makeFullDevice = () => Bun.spawnSync(["mknod", at("full"), "c", "1", "7"]).exitCode === 0;
const canMakeDevices =
  process.platform === "linux" && process.getuid?.() === 0 && Bun.which("mknod") !== null;
test.skipIf(!canMakeDevices)(
  "a device is written to, not replaced by a file, and its error is reported",
  async () => {
    if (!makeFullDevice()) return;
    const { code, err } = await exportTo(at("full"));
    expect(lstatSync(at("full")).isCharacterDevice()).toBe(true);
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/^mailkeep: cannot save \S+\/full: [^\n]*\n$/),
    });
  },
);

test("a link to a file stays a link", async () => {
  await writeFile(at("real"), "before");
  await symlink("real", at("link"));
  await symlink("link", at("further.mbox"));
  expect(await exportTo(at("further.mbox"))).toEqual(SAVED);
  expect(await Promise.all(["further.mbox", "link"].map((name) => readlink(at(name))))).toEqual([
    "link",
    "real",
  ]);
  expect(await readFile(at("real"), "utf8")).toMatch(MBOX);
});

test.each(["600", "666"])("the mode %s of a file that is replaced stays", async (octal) => {
  await writeFile(at("mails.mbox"), "before");
  await chmod(at("mails.mbox"), Number.parseInt(octal, 8));
  expect(await exportTo(at("mails.mbox"))).toEqual(SAVED);
  expect((await stat(at("mails.mbox"))).mode & 0o777).toBe(Number.parseInt(octal, 8));
  expect(await readFile(at("mails.mbox"), "utf8")).toMatch(MBOX);
});

test("an export whose connection breaks leaves the earlier file as it was", async () => {
  await writeFile(at("mails.mbox"), "before");
  const count = JSON.stringify({ ok: true, count: 1 });
  const json = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${count.length}\r\n\r\n${count}`;
  const cutOff =
    "HTTP/1.1 200 OK\r\ncontent-type: application/mbox\r\ncontent-length: 1000\r\n\r\nFrom a@x.test\n";
  using broken = Bun.listen({
    port: 0,
    hostname: "127.0.0.1",
    socket: {
      data: (socket, request) => void socket.end(request.includes("/count") ? json : cutOff),
    },
  });
  const args = ["export", "--url", `http://127.0.0.1:${broken.port}`, "--output", at("mails.mbox")];
  expect(await runCommand(args)).toMatchObject({ code: 1, err: expect.stringContaining("cannot save") });
  expect(await readdir(folder)).toEqual(["mails.mbox"]);
  expect(await readFile(at("mails.mbox"), "utf8")).toBe("before");
});

test.each(["mails.zip", "MAILS.ZIP"])("%s is a zip file: the name tells the format", async (name) => {
  expect(await exportTo(at(name))).toEqual(SAVED);
  expect((await readFile(at(name))).subarray(0, 4)).toEqual(Buffer.from("PK\x03\x04"));
});

test.each(["mails/", "mails.eml/"])("%s is a folder of eml files", async (name) => {
  expect(await exportTo(at(name))).toEqual({ ...SAVED, err: `1 mail saved in ${at(name)}\n` });
  expect(await readdir(at(name))).toEqual([expect.stringMatching(/^\w{26}\.eml$/)]);
});

test("an existing folder needs no slash, but is refused for mbox", async () => {
  const saved = `1 mail saved in ${folder}\n`;
  expect(await exportTo(folder)).toEqual({ ...SAVED, err: saved });
  const args = ["export", "--url", server.http, "--format", "mbox", "--output", folder];
  const err = `mailkeep: ${folder} is a folder: give a file for mbox, or --format eml\n`;
  expect(await runCommand(args)).toEqual({ code: 2, out: "", err });
});

test("a given format takes precedence over the file name", async () => {
  const path = at("mails.zip");
  const args = ["export", "--url", server.http, "--format", "mbox", "--output", path];
  expect(await runCommand(args)).toEqual(SAVED);
  expect(await readFile(path, "utf8")).toMatch(MBOX);
});

// Runs as an ordinary user, because root could replace the machine's own /dev/stdout.
test.skipIf(!canBeNobody)("--output /dev/stdout does not replace the file that >> appends to", async () => {
  await writeFile(at("all"), "before\n");
  await Promise.all([chmod(folder, 0o777), chmod(at("all"), 0o666)]);
  const command = mailkeepCommand(["export", "--url", server.http, "--output", "/dev/stdout"]);
  const { code, err } = await asNobody(["sh", "-c", '"$@" >> "$0"', at("all"), ...command]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(await readFile(at("all"), "utf8")).toMatch(/^before\nFrom /);
});

test("an export that is interrupted leaves the old file unchanged", async () => {
  await writeFile(at("mails.mbox"), "before");
  const body = new ReadableStream({ start: (stream) => stream.enqueue("From a@x.test\n") });
  const headers = { "content-type": "application/mbox" };
  await using endless = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) =>
      url.includes("/count") ? Response.json({ ok: true, count: 1 }) : new Response(body, { headers }),
  });
  const args = ["export", "--url", endless.url.href, "--output", at("mails.mbox")];
  await using child = Bun.spawn(mailkeepCommand(args), { stderr: "ignore" });
  await until(async () => (await readdir(folder)).length === 2, "the unfinished file");
  child.kill("SIGINT");
  await child.exited;
  expect(await readFile(at("mails.mbox"), "utf8")).toBe("before");
});

test("the number of mails and the size of the file are printed", async () => {
  const { err } = await exportTo(at("mails.mbox"));
  const { size } = await stat(at("mails.mbox"));
  expect(err).toBe(`1 mail saved in ${at("mails.mbox")} (${size} B)\n`);
});

test.each(["mails", "mails.txt"])("%s, which names no format, is refused", async (name) => {
  const { code, err } = await exportTo(at(name));
  expect({ code, err }).toEqual({
    code: 2,
    err: `mailkeep: the name ${at(name)} does not tell the format: end it with .mbox, .zip, or / for a folder of eml files, or give --format\n`,
  });
  expect(await readdir(folder)).toEqual([]);
});

test("a filter that no mail matches saves nothing, unless --allow-empty accepts that", async () => {
  const args = ["export", "--url", server.http, "--output", at("mails.mbox"), "--subject", "nowhere"];
  expect(await runCommand(args)).toEqual({
    code: 1,
    out: "",
    err: "mailkeep: no mail matches, so nothing was saved; with --allow-empty this is not an error\n",
  });
  expect(await readdir(folder)).toEqual([]);
  expect((await runCommand([...args, "--allow-empty"])).code).toBe(0);
  expect(await readFile(at("mails.mbox"), "utf8")).toBe("");
});
