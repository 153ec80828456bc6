import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CLOSED_ADDRESS } from "../support/closed-port.ts";
import { useFolders } from "../support/folders.ts";
import { mailkeepCommand, type Running, runMailkeep, startMailkeep } from "../support/mailkeep.ts";
import { deliver } from "../support/smtp-client.ts";
import { until } from "../support/until.ts";

const RAW =
  "From: Shop <shop@x.test>\r\nTo: ann@x.test\r\nSubject: Your code\r\nX-Mailer: x\r\n\r\nYour code is 482913.\r\nConfirm: https://x.test/confirm?t=1\r\n";

let server: Running;
let firstId: string;
let secondId: string;
beforeAll(async () => {
  server = await startMailkeep();
  firstId = await deliver(server.smtpPort, { from: "shop@x.test", to: ["ann@x.test"], raw: RAW });
  secondId = await deliver(server.smtpPort, {
    from: "",
    to: ["bo@x.test", "cy@x.test"],
    raw: "Subject: Plain\r\nContent-Type: text/html\r\n\r\n<p>Nothing</p>\r\n",
  });
});
afterAll(() => server.stop());

const freshFolder = useFolders();
const ask = (args: string[], environment: Record<string, string> = {}) =>
  runMailkeep(args, { environment: { MAILKEEP_URL: server.http, ...environment } });

async function onTerminal(args: string[], keys = "") {
  let shown = "";
  const child = Bun.spawn(mailkeepCommand(args), {
    env: { ...process.env, MAILKEEP_URL: server.http },
    terminal: {
      cols: 60,
      data: (_terminal, bytes) => {
        shown += new TextDecoder().decode(bytes);
      },
    },
  });
  if (keys !== "") {
    await until(() => shown.includes("?"), "the question");
    child.terminal?.write(keys);
  }
  const code = await child.exited;
  await until(() => shown.endsWith("\n"), "the last line");
  return { code, shown };
}

describe("mailkeep list", () => {
  test("is a table, newest first, and is not cut without a terminal", async () => {
    const { code, out, err } = await ask(["list"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out.replace(/\d\d:\d\d:\d\d/g, "hh:mm:ss").split("\n")).toEqual([
      `${"id".padEnd(26)}  time      from         to               subject`,
      `${secondId}  hh:mm:ss  <>           bo@x.test +1  ●  Plain`,
      `${firstId}  hh:mm:ss  shop@x.test  ann@x.test    ●  Your code`,
      "",
    ]);
  });

  test("takes the filters as flags, and is JSON for programs", async () => {
    const { code, out } = await ask(["list", "--to", "ann@x.test", "--format", "json"]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject([{ id: firstId, subject: "Your code" }]);
    expect(await ask(["list", "--q", "nowhere"])).toEqual({ code: 0, out: "no mail\n", err: "" });
  });

  test("says how many there are beyond its limit", async () => {
    const { out, err } = await ask(["list", "--limit", "1"]);
    expect(out).toContain(secondId);
    expect(err).toBe("… and 1 more; a higher --limit shows them\n");
  });

  test.skipIf(process.platform === "win32")(
    "is not cut on a terminal that reports a width of 0",
    async () => {
      const args = mailkeepCommand(["list"])
        .map((arg) => `'${arg}'`)
        .join(" ");
      const child = Bun.spawn(["script", "-qec", `stty cols 0; ${args}`, "/dev/null"], {
        env: { ...process.env, MAILKEEP_URL: server.http },
        stdin: "ignore",
      });
      expect(await child.stdout.text()).toContain(firstId);
    },
  );

  test.skipIf(process.platform === "win32")("fits the terminal", async () => {
    const { shown } = await onTerminal(["list"]);
    const lines = shown.trimEnd().split("\r\n");
    expect(lines).toHaveLength(3);
    expect(lines.filter((line) => Bun.stringWidth(line) > 60)).toEqual([]);
    expect(shown).not.toContain(firstId);
  });
});

describe("the filters", () => {
  test.each([
    ["--header-from", "shop", 1],
    ["--header-from", "SHOP@x.test", 1],
    ["--header-to", "ann", 1],
    ["--header-to", "bo@x.test", 0],
  ])("%s %s finds %d mails", async (flag, value, count) => {
    expect((await ask(["assert", flag, value, "--count", String(count)])).code).toBe(0);
  });

  test.each([
    [["list"]],
    [["show"]],
    [["wait", "--timeout", "0s"]],
    [["assert", "--max", "0"]],
    [["export"]],
    [["check"]],
    [["clear"]],
  ])("of %p name a misspelt operator once, and fail if nothing is found", async (args) => {
    const { code, err } = await ask([...args, "--q", "form:ann"]);
    expect(err).toStartWith(
      "mailkeep: form: is not a search operator, so it was searched for as text; did you mean from:?\n",
    );
    expect(err.match(/is not a search operator/g)).toHaveLength(1);
    expect(code).toBe(1);
  });
});

describe("mailkeep show", () => {
  test("prints the header that matters, code and link, and the text", async () => {
    const { code, out } = await ask(["show", firstId.toLowerCase()]);
    expect(code).toBe(0);
    expect(out.replace(/^(Arrived +).*$/m, "$1…")).toBe(
      `From      Shop <shop@x.test>
To        ann@x.test
Subject   Your code
Envelope  shop@x.test → ann@x.test
Arrived   …
Id        ${firstId}
Code      482913
Link      https://x.test/confirm?t=1

Your code is 482913.
Confirm: https://x.test/confirm?t=1
`,
    );
  });

  test.each([
    [["show", "--format", "text"], /^Nothing\n$/],
    [["show", "latest", "--format", "html"], /^<p>Nothing<\/p>\r?\n$/],
    [["show", "latest", "--to", "ann@x.test", "--format", "raw"], RAW],
  ] as [string[], string | RegExp][])("%p prints that part of the newest mail", async (args, expected) => {
    const { code, out } = await ask(args);
    expect(code).toBe(0);
    expect(out).toMatch(expected);
  });

  test("the bytes on a terminal have no escape sequences of the mail", async () => {
    const raw = "Subject: \x1b]0;owned\x07\r\n\r\n\x1b[2Jhidden\r\n";
    const id = await deliver(server.smtpPort, { from: "", to: ["dan@x.test"], raw });
    const { shown } = await onTerminal(["show", id, "--format", "raw"]);
    await runMailkeep(["clear", "--to", "dan@x.test", "--url", server.http]);
    expect(shown.replaceAll("\r", "")).toBe("Subject: \ufffd]0;owned\ufffd\n\n\ufffd[2Jhidden\n");
  });

  test("is JSON with codes, links and attachments for programs", async () => {
    const { out } = await ask(["show", firstId, "--format", "json"]);
    expect(JSON.parse(out)).toMatchObject({ id: firstId, code: "482913", attachments: [] });
  });

  test.each([
    [["show", "latest", "--to", "zoe@x.test"], 1, "mailkeep: there is no mail to zoe@x.test\n"],
    [["show", "01KABCDEFGHJKMNPQRSTVWXYZ0"], 1, /^mailkeep: [^\n]+\n$/],
    [["show", "latets"], 2, "mailkeep: 'latets' is not the id of a mail; give an id or 'latest'\n"],
    [
      ["show", "01KABCDEFGHJKMNPQRSTVWXYZ0", "--unread"],
      2,
      "mailkeep: filters work only with 'latest', not with an id\n",
    ],
  ] as [string[], number, string | RegExp][])("%p finds none", async (args, code, err) => {
    expect(await ask(args)).toEqual({ code, out: "", err: expect.stringMatching(err) });
  });
});

describe("mailkeep open", () => {
  test("prints the address if there is no browser", async () => {
    const nowhere = { DISPLAY: "", WAYLAND_DISPLAY: "", WSL_DISTRO_NAME: "" };
    expect((await ask(["open", "--print"])).out).toBe(`${server.http}/\n`);
    if (process.platform !== "linux") return;
    expect((await ask(["open", "latest"], nowhere)).out).toBe(`${server.http}/messages/${secondId}\n`);
  });

  test("leads to the page of an inbox, if there is such an inbox", async () => {
    expect((await ask(["open", "--print", "--inbox", "default"])).out).toBe(
      `${server.http}/?inbox=default\n`,
    );
    expect(await ask(["open", "--print", "--inbox", "nope"])).toEqual({
      code: 3,
      out: "",
      err: 'mailkeep: No inbox has the name "nope".\n',
    });
  });

  test.skipIf(process.platform !== "linux")("starts the platform's opener", async () => {
    const folder = freshFolder();
    await writeFile(join(folder, "xdg-open"), `#!/bin/sh\nprintf %s "$1" > ${folder}/opened\n`);
    await chmod(join(folder, "xdg-open"), 0o755);
    const environment = { PATH: `${folder}:${process.env.PATH}`, DISPLAY: ":0" };
    expect(await ask(["open", firstId], environment)).toEqual({ code: 0, out: "", err: "" });
    expect(await readFile(join(folder, "opened"), "utf8")).toBe(`${server.http}/messages/${firstId}`);
  });
});

test.each([["list"], ["show"], ["clear"], ["open"]])(
  "%s without a server is exit code 3",
  async (command) => {
    const { code, err } = await ask([command], { MAILKEEP_URL: `http://${CLOSED_ADDRESS}` });
    expect({ code, err }).toEqual({ code: 3, err: expect.stringContaining("does not answer") });
  },
);

describe("mailkeep clear", () => {
  test.skipIf(process.platform === "win32")("asks on a terminal, and no is the default", async () => {
    const { code, shown } = await onTerminal(["clear", "--to", "ann@x.test"], "\r");
    expect(code).toBe(1);
    expect(shown).toContain(`Delete 1 mail to ann@x.test at ${server.http}?`);
    expect(shown).toContain("nothing was deleted");
  });

  test("deletes what matches, then everything, and says how many", async () => {
    expect(await ask(["clear", "--to", "ann@x.test"])).toEqual({ code: 0, out: "1 mail deleted\n", err: "" });
    expect(await ask(["clear", "--format", "json"])).toEqual({ code: 0, out: '{"deleted":1}\n', err: "" });
    expect((await ask(["list"])).out).toBe("no mail\n");
  });

  test.skipIf(process.platform === "win32")("does not ask with --yes", async () => {
    expect(await onTerminal(["clear", "--yes"])).toEqual({ code: 0, shown: "0 mails deleted\r\n" });
  });
});
