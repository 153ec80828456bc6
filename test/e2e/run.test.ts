import { afterAll, describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { connect } from "../../src/client/index.ts";
import { CLOSED_ADDRESS } from "../support/closed-port.ts";
import { tempFolder } from "../support/folders.ts";
import { mailkeepCommand, runMailkeep, startMailkeep } from "../support/mailkeep.ts";

const { path: folder, remove } = tempFolder();
afterAll(remove);

const script = (code: string) => ["--", process.execPath, "-e", code];
const mailkeep = (...args: string[]) =>
  mailkeepCommand(args)
    .map((word) => `'${word}'`)
    .join(" ");
const shell = (code: string) => ["--", "sh", "-c", code];

describe("mailkeep run", () => {
  test("tells the command where its own server is", async () => {
    const names = ["SMTP_HOST", "SMTP_PORT", "SMTP_URL", "MAILKEEP_URL"];
    const { code, out } = await runMailkeep(
      [
        "run",
        ...script(`console.log(JSON.stringify(${JSON.stringify(names)}.map((name) => process.env[name])))`),
      ],
      {
        environment: {
          MAILKEEP_SMTP_PORT: "1",
          MAILKEEP_DATA_DIR: "/nonexistent",
        },
      },
    );
    expect(code).toBe(0);
    const [host, port, smtp, url] = JSON.parse(out);
    expect(host).toBe("127.0.0.1");
    expect(Number(port)).toBeGreaterThan(1);
    expect(smtp).toBe(`smtp://127.0.0.1:${port}`);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  test.each([
    [`http://${CLOSED_ADDRESS}`, 3, `does not answer at http://${CLOSED_ADDRESS}`],
    ["nonsense", 2, "mailkeep: MAILKEEP_URL must be an address such as"],
  ])("with MAILKEEP_URL=%s fails before the command starts", async (url, code, sentence) => {
    const environment = { MAILKEEP_URL: url };
    const ran = await runMailkeep(["run", "--", "echo", "hi"], { environment });
    expect(ran).toEqual({ code, out: "", err: expect.stringContaining(sentence) });
    expect(ran.err.trimEnd().split("\n")).toHaveLength(1);
    const own = await runMailkeep(["run", "--smtp-port", "0", "--", "echo", "hi"], { environment });
    expect([own.code, own.out]).toEqual([0, "hi\n"]);
  });

  test("keeps the exit code of the command when the shared server is gone at the end", async () => {
    const server = await startMailkeep();
    const ending = `process.kill(${server.process.pid}, "SIGKILL"); await Bun.sleep(0); process.exit(7)`;
    const ran = await runMailkeep(["run", ...script(ending)], { environment: { MAILKEEP_URL: server.http } });
    expect([ran.code, ran.err]).toEqual([7, expect.stringContaining("does not answer")]);
  });

  test("gets an inbox of its own at the server of MAILKEEP_URL, and removes the inbox at the end", async () => {
    await using server = await startMailkeep();
    const shared = connect({ url: server.http, since: "all" });
    const list = `${mailkeep("inbox", "list", "--format", "json")}`;
    const { code, out, err } = await runMailkeep(
      [
        "run",
        "--expect=1",
        ...shell(
          `printf 'To: ann@x.test\\nSubject: Hi\\n\\nIt works.\\n' | ${mailkeep("send", "-t")} && ${mailkeep("assert", "--count", "1", "--format", "json")} && ${list}`,
        ),
      ],
      { environment: { MAILKEEP_URL: server.http } },
    );
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("1 mail was captured") });
    const [asserted = "", inboxes = ""] = out.trim().split("\n");
    expect(JSON.parse(asserted)).toEqual({ ok: true, count: 1 });
    expect(JSON.parse(inboxes)).toMatchObject([{ name: expect.stringMatching(/^run-/), messages: 1 }]);
    expect([await shared.count(), (await shared.inboxes()).length]).toEqual([0, 1]);
  });

  test.each(["--smtp-port", "--http-port"])("names %s when its port is taken", async (flag) => {
    using taken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    const { code, err } = await runMailkeep(["run", flag, String(taken.port), ...script("0")]);
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(new RegExp(`${taken.port}.*${flag}`)),
    });
  });

  test("captures what the command sends; its output stays its own", async () => {
    const { code, out, err } = await runMailkeep([
      "run",
      "--keep",
      join(folder, "sent"),
      "--expect=1",
      ...shell(
        `printf 'To: ann@x.test\\nFrom: shop@x.test\\nSubject: Hi\\n\\nIt works.\\n' | ${mailkeep("send", "-t")} && ${mailkeep("assert", "--count", "1", "--format", "json")}`,
      ),
    ]);
    expect({ code, out }).toEqual({ code: 0, out: '{"ok":true,"count":1}\n' });
    expect(err.replace(/(?<=127\.0\.0\.1:)\d+/g, "…")).toBe(
      "mailkeep: SMTP on 127.0.0.1:…, page and API on http://127.0.0.1:…\nmailkeep: 1 mail was captured\n  to          from         subject\n  ann@x.test  shop@x.test  Hi\n",
    );
    expect(await readdir(join(folder, "sent"))).toEqual(["0001-hi-ann.eml"]);
    expect(await Bun.file(join(folder, "sent", "0001-hi-ann.eml")).text()).toBe(
      "To: ann@x.test\r\nFrom: shop@x.test\r\nSubject: Hi\r\n\r\nIt works.\r\n",
    );
  });

  test.each([
    ["the command's own", script("process.exit(7)"), [], 7],
    ["1 when fewer mails came than expected", script("0"), ["--expect", "1"], 1],
    ["the command's own, also when fewer came", script("process.exit(7)"), ["--expect", "1"], 7],
    ["128 and more when a signal ended it", script("process.kill(process.pid, 'SIGTERM')"), [], 143],
    ["127 when there is no such command", ["--", "no-such-command"], [], 127],
  ])("has an exit code: %s", async (_name, command, flags, expected) => {
    const { code } = await runMailkeep(["run", "--quiet", ...flags, ...command]);
    expect(code).toBe(expected);
  });

  test("counts and saves mail that the command deletes again, too", async () => {
    const target = join(folder, "kept");
    const { code, err } = await runMailkeep([
      "run",
      "--expect=1",
      "--keep",
      target,
      ...shell(
        `printf 'Subject: Gone\\n\\n' | ${mailkeep("send", "ann@x.test")}; ${mailkeep("wait")} && '${process.execPath}' -e 'await fetch(process.env.MAILKEEP_URL + "/api/v1/messages", { method: "DELETE" })'`,
      ),
    ]);
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("1 mail was captured") });
    expect(await readdir(target)).toHaveLength(1);
  });

  test("gives the server the flags that tests need", async () => {
    const send = (login: string) =>
      `printf 'Subject: s\\n\\n' | ${mailkeep("send", "bo+checkout@x.test")} --smtp smtp://${login}$SMTP_HOST:$SMTP_PORT`;
    const { code, err } = await runMailkeep([
      "run",
      "--expect=1",
      "--smtp-auth=me:secret",
      "--smtp-auth-required",
      "--tag-plus-addresses",
      ...shell(`${send("")}; ${send("me:secret@")} && ${mailkeep("assert", "--tag", "checkout")}`),
    ]);
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("Authentication required") });
  });

  test.each([
    ["one login", ["--smtp-auth=me@x.test:p@ss:/%41"]],
    ["any login", []],
  ])("lets send log in to a server that asks for %s", async (_name, flags) => {
    const { code, err } = await runMailkeep([
      "run",
      "--expect=1",
      ...flags,
      "--smtp-auth-required",
      ...shell(`printf 'Subject: s\\n\\n' | ${mailkeep("send", "bo@x.test")}`),
    ]);
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("1 mail was captured") });
  });

  test("passes SIGTERM on and lets the command end in its own way", async () => {
    const wait =
      "process.on('SIGTERM', () => process.exit(5)); setInterval(() => {}, 1000); console.log('up')";
    const child = Bun.spawn(mailkeepCommand(["run", "--quiet", ...script(wait)]), {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const reader = child.stdout.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe("up\n");
    child.kill("SIGTERM");
    expect(await child.exited).toBe(5);
  });

  test("hands standard input to the command", async () => {
    expect((await runMailkeep(["run", "--quiet", "--", "cat"], { input: "hello" })).out).toBe("hello");
  });
});
