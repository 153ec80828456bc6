import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { connect, type Inbox } from "../../src/client/index.ts";
import { CLOSED_ADDRESS } from "../support/closed-port.ts";
import { tempFolder } from "../support/folders.ts";
import { mailkeepCommand, type Running, runMailkeep, startMailkeep } from "../support/mailkeep.ts";
import { deliver } from "../support/smtp-client.ts";

const { path: folder, remove } = tempFolder();
let server: Running;
let inbox: Inbox;
beforeAll(async () => {
  server = await startMailkeep();
  inbox = connect({ url: server.http, since: "all" });
});
afterEach(() => inbox.clear());
afterAll(async () => {
  await server.stop();
  remove();
});

const environment = () => ({
  MAILKEEP_URL: server.http,
  MAILKEEP_SMTP: `127.0.0.1:${server.smtpPort}`,
  USER: "me",
});
const run = (args: string[], input = "") => runMailkeep(args, { environment: environment(), input });

/** Envelope and bytes of all stored mails, oldest first. */
async function stored() {
  const mails = (await inbox.list()).reverse();
  return Promise.all(
    mails.map(async ({ id, sender, recipients }) => {
      const raw = Buffer.from(await inbox.raw(id)).toString("latin1");
      return { sender, recipients, raw };
    }),
  );
}

describe("mailkeep send", () => {
  test("delivers standard input with network line ends and nothing else changed", async () => {
    const input = "From: Ann <ann@x.test>\nSubject: dots\n\n.\n..\nFrom here\nlast line without end";
    expect(await run(["send", "-i", "bo@x.test"], input)).toEqual({ code: 0, out: "", err: "" });
    expect(await stored()).toEqual([
      { sender: "ann@x.test", recipients: ["bo@x.test"], raw: input.replaceAll("\n", "\r\n") },
    ]);
  });

  const SESSION = [
    "HELO app",
    "MAIL FROM:<a@x.test>",
    "RCPT TO:<b@x.test>",
    "DATA",
    "Subject: s\r\n\r\nx\r\n.",
    "QUIT",
  ];
  const REPLIES = ["220", "250", "250", "250", "354", "250", "221"];

  test("with -bs, as Laravel calls it, speaks SMTP", async () => {
    await using child = Bun.spawn(mailkeepCommand(["sendmail", "-bs", "-i"]), {
      env: { ...process.env, ...environment() },
      stdio: ["pipe", "pipe", "pipe"],
    });
    const replies: string[] = [];
    const commands = [...SESSION];
    for await (const bytes of child.stdout) {
      replies.push(Buffer.from(bytes).toString().slice(0, 3));
      const command = commands.shift();
      if (command !== undefined) child.stdin.write(`${command}\r\n`);
      child.stdin.flush();
    }
    // The command ends with the session, even though its standard input is still open.
    expect({ code: await child.exited, err: await child.stderr.text(), replies }).toEqual({
      code: 0,
      err: "",
      replies: REPLIES,
    });
    expect(await stored()).toEqual([
      { sender: "a@x.test", recipients: ["b@x.test"], raw: "Subject: s\r\n\r\nx\r\n" },
    ]);
  });

  test("with -bs accepts a session in one piece, even without QUIT", async () => {
    const { code, out } = await run(["sendmail", "-bs"], `${SESSION.slice(0, -1).join("\r\n")}\r\n`);
    const replies = Array.from(out.matchAll(/^\d{3}(?= )/gm), ([reply]) => reply);
    expect({ code, replies }).toEqual({ code: 0, replies: REPLIES.slice(0, -1) });
    expect(await stored()).toHaveLength(1);
  });

  const withLinks = test.skipIf(process.platform === "win32");
  withLinks.each(["sendmail", "sendmail.exe"])("through a link called %s needs no command", async (name) => {
    const [program = "", ...args] = mailkeepCommand(["-t", "-i"]);
    const link = join(folder, name);
    await symlink(program, link);
    const env = { ...process.env, ...environment() };
    const child = Bun.spawn([link, ...args], { env, stdin: Buffer.from("To: a@x.test\n\nx\n") });
    expect(await child.exited).toBe(0);
    expect(await stored()).toEqual([
      { sender: "me", recipients: ["a@x.test"], raw: "To: a@x.test\r\n\r\nx\r\n" },
    ]);
  });

  test("takes the flags of sendmail that cron and others use", async () => {
    const args = ["sendmail", "-FCronDaemon", "-i", "-B8BITMIME", "-oem", "-h", "5", "root"];
    expect(await run(args, "To: root\nSubject: Cron\n\nx\n")).toEqual({ code: 0, out: "", err: "" });
    expect(await stored()).toMatchObject([
      {
        sender: "me",
        recipients: ["root"],
        raw: expect.stringContaining('From: "CronDaemon" <me>\r\nTo: root'),
      },
    ]);
  });

  test("takes addresses beyond ASCII", async () => {
    expect((await run(["send", "-f", "jürgen@x.test", "用户@x.test"], "Subject: s\n\n")).code).toBe(0);
    expect(await stored()).toMatchObject([{ sender: "jürgen@x.test", recipients: ["用户@x.test"] }]);
  });

  test.each([
    ["64 without a recipient", ["send"], "x", 64, "mailkeep: no recipient: name at least one"],
    ["64 with an unknown flag", ["send", "-Z", "a@x.test"], "x", 64, "mailkeep: unknown flag -Z"],
    ["65 when the header has no recipient", ["send", "-t"], "Subject: s\n\n", 65, "mailkeep: no recipient"],
    [
      "65 when its To names nobody",
      ["send", "-t"],
      "To: Ann <>\n\n",
      65,
      "mailkeep: no recipient: the mail's To",
    ],
    [
      "69 when it is refused",
      ["send", "not an address"],
      "x",
      69,
      "mailkeep: the recipient <not an address> was",
    ],
    [
      "69 when nobody answers",
      ["send", `--smtp=${CLOSED_ADDRESS}`, "a@x.test"],
      "x",
      69,
      `mailkeep: ${CLOSED_ADDRESS}: connection refused. Is Mailkeep running, and is this its address?\n`,
    ],
  ])("has the exit codes of sendmail: %s", async (_name, args, input, expected, line) => {
    const { code, err } = await run(args, input);
    expect(code).toBe(expected);
    expect(err).toStartWith(line);
    expect(await inbox.count()).toBe(0);
  });

  test("composes a mail from JSON, of a file or of standard input", async () => {
    const request = {
      from: "shop@x.test",
      to: ["ann@x.test"],
      bcc: ["bob@x.test"],
      subject: "Hi",
      text: "Hello",
    };
    const path = join(folder, "mail.json");
    await Bun.write(path, JSON.stringify(request));
    expect(await run(["send", "--json", path])).toEqual({ code: 0, out: "", err: "" });
    expect((await run(["send", "--json", "-"], JSON.stringify(request))).code).toBe(0);
    const mails = await stored();
    expect(mails).toHaveLength(2);
    for (const { sender, recipients, raw } of mails) {
      expect({ sender, recipients }).toEqual({
        sender: "shop@x.test",
        recipients: ["ann@x.test", "bob@x.test"],
      });
      expect(raw).toContain("Subject: Hi\r\n");
    }
  });

  test.each([
    [
      [],
      '{"from":"a@x.test","to":["b@x.test"],"txt":"x"}',
      "-: Field txt of the request body is not known here; did you mean text?",
    ],
    [[], "{", "-: "],
    [[], '{"from":"a@x.test","to":[]}', "-: to must name a recipient, unless cc or bcc does"],
    [[], '{"from":"a@x.test","to":["b@x.test","nope"]}', '-: to.1 cannot be "nope": it must be one address'],
    [["ann@x.test"], "{}", "--json takes sender and recipients from the file, not from the command line"],
  ])("with --json says what is wrong: %j %s", async (args, input, sentence) => {
    const { code, err } = await run(["send", "--json", "-", ...args], input);
    expect(code).toBe(64);
    expect(err).toContain(sentence);
  });

  test("logs in where the server asks for it", async () => {
    await using guarded = await startMailkeep({ args: ["--smtp-auth=me:p@ss", "--smtp-auth-required"] });
    const at = (login: string) => [
      "send",
      "--smtp",
      `smtp://${login}127.0.0.1:${guarded.smtpPort}`,
      "a@x.test",
    ];
    expect((await run(at(""), "x")).code).toBe(69);
    expect((await run(at("me:p%40ss@"), "x")).code).toBe(0);
  });

  test("and import find the server by the same variables as wait and assert", async () => {
    await using guarded = await startMailkeep({ args: ["--smtp-auth=me:p@ss:", "--smtp-auth-required"] });
    const shared = {
      MAILKEEP_BIND: "0.0.0.0",
      MAILKEEP_SMTP_PORT: String(guarded.smtpPort),
      MAILKEEP_SMTP_AUTH: "me:p@ss:,bo:other",
    };
    for (const args of [
      ["send", "a@x.test"],
      ["import", "--to=a@x.test", "-"],
    ]) {
      const { code } = await runMailkeep(args, { environment: shared, input: "Subject: s\n\n" });
      expect(code).toBe(0);
    }
    expect(await connect({ url: guarded.http, since: "all" }).count()).toBe(2);
  });
});

describe("mailkeep import", () => {
  test("imports an mbox in order and byte for byte", async () => {
    const line = "From shop@x.test Sat Nov 14 10:00:00 2026\n";
    const first = "From: shop@x.test\nTo: a@x.test\n\n\xe9 bare line feeds\n.\nFrom the start\n";
    const second = "Return-Path: <bounce@x.test>\r\nDelivered-To: b@x.test\r\nTo: list@x.test\r\n\r\nx\r\n";
    const path = join(folder, "two.mbox");
    const mbox = `${line}${first.replace("\nFrom the", "\n>From the")}\n${line}${second}\n`;
    await Bun.write(path, Buffer.from(mbox, "latin1"));
    const { code, out } = await run(["import", path]);
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(/^2 mails imported \(\d+ B read\)\n$/),
    });
    expect(await stored()).toEqual([
      { sender: "shop@x.test", recipients: ["a@x.test"], raw: first },
      { sender: "bounce@x.test", recipients: ["b@x.test"], raw: second },
    ]);
  });

  test("keeps the dates of the mails if asked to, except those in the future", async () => {
    const dated = (date: string) =>
      `From x@x.test Sat Nov 14 10:00:00 2026\nTo: a@x.test\nDate: ${date}\n\nx\n\n`;
    const path = join(folder, "dated.mbox");
    await Bun.write(
      path,
      dated("Fri, 13 Nov 2020 12:00:00 +0200") + dated("Fri, 13 Nov 2099 12:00:00 +0200"),
    );
    expect((await run(["import", "--use-message-dates", path])).code).toBe(0);
    const [future, past] = await connect({ url: server.http, since: "all" }).list();
    expect(past?.created_at).toBe("2020-11-13T10:00:00.000Z");
    expect(Date.parse(future?.created_at ?? "")).toBeLessThanOrEqual(Date.now());
  });

  test("names the mail that has no recipient and goes on with the others", async () => {
    const maildir = join(folder, "Maildir");
    await mkdir(join(maildir, "cur"), { recursive: true });
    await Bun.write(join(maildir, "cur/1.a:2,S"), "Subject: lost\n\n");
    await Bun.write(join(maildir, "cur/2.b:2,S"), "To: a@x.test\n\n");
    const { code, out, err } = await run(["import", maildir]);
    expect({ code, out: out.split(" (")[0] }).toEqual({ code: 1, out: "1 mail imported, 1 not imported" });
    expect(err).toContain("cur/1.a:2,S: no recipient in its header; give one with --to\n");
    expect((await run(["import", "--to", "z@x.test", maildir])).code).toBe(0);
    expect(await inbox.count({ to: "z@x.test" })).toBe(2);
  });

  test.each(["-", "/dev/stdin"])("reads a pipe as %s", async (path) => {
    const line = "From a@x.test Sat Nov 14 10:00:00 2026\n";
    expect((await run(["import", path], `${line}To: a@x.test\n\n1\n\n${line}To: b@x.test\n\n2\n`)).code).toBe(
      0,
    );
    expect((await run(["import", path], "To: c@x.test\n\n3\n")).code).toBe(0);
    expect((await stored()).map(({ recipients }) => recipients[0])).toEqual([
      "a@x.test",
      "b@x.test",
      "c@x.test",
    ]);
  });

  test.each([
    [["import"], "mailkeep: import needs at least one file or folder\n"],
    [
      ["import", "/nonexistent.eml"],
      /^mailkeep: cannot read \/nonexistent\.eml: there is no such file or folder\n/,
    ],
  ] as [string[], string | RegExp][])("%p is wrong usage", async (args, line) => {
    const { code, err } = await run(args);
    expect(code).toBe(2);
    expect(err).toMatch(line);
  });
});

describe("mailkeep export", () => {
  const raw = "Subject: s\r\n\r\nFrom here\r\n";
  const fill = async () => {
    for (const to of ["a@x.test", "b@x.test"])
      await deliver(server.smtpPort, { from: "f@x.test", to: [to], raw });
  };

  test("prints an mbox that import reads back", async () => {
    await fill();
    const { code, out } = await run(["export", "--to", "a@x.test"]);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^From f@x\.test \w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}\nSubject: s\n\n>From here\n\n$/,
    );
    expect(await run(["export", "--to", "a@x.test", "--output", "-"])).toEqual({ code, out, err: "" });
  });

  test("writes a zip that import reads back to the byte", async () => {
    await fill();
    const path = join(folder, "back.zip");
    expect((await run(["export", "--format", "zip", "--output", path])).code).toBe(0);
    await inbox.clear();
    expect((await run(["import", "--to", "z@x.test", path])).code).toBe(0);
    expect(await stored()).toEqual(Array(2).fill({ sender: "", recipients: ["z@x.test"], raw }));
  });

  test("needs a folder for eml", async () => {
    expect(await run(["export", "--format=eml"])).toEqual({
      code: 2,
      out: "",
      err: "mailkeep: --format eml needs --output, a folder\n",
    });
  });
});
