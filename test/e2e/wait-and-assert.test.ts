import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { freePort } from "../../scripts/postgres.ts";
import { CLOSED_ADDRESS } from "../support/closed-port.ts";
import { useFolders } from "../support/folders.ts";
import { hasIpv6 } from "../support/ipv6.ts";
import { mailkeepCommand, type Running, runMailkeep, startMailkeep } from "../support/mailkeep.ts";
import { deliver } from "../support/smtp-client.ts";

let server: Running;
let firstId: string;
beforeAll(async () => {
  server = await startMailkeep();
  const raw = (subject: string, body: string) => `Subject: ${subject}\r\n\r\n${body}\r\n`;
  firstId = await deliver(server.smtpPort, {
    from: "shop@x.test",
    to: ["ann@x.test"],
    raw: raw("Your code", "Your code is 482913. Confirm: https://x.test/confirm?t=1\r\n"),
  });
  await deliver(server.smtpPort, {
    from: "shop@x.test",
    to: ["bo@x.test"],
    raw: raw("Plain", "Nothing here."),
  });
});
afterAll(() => server.stop());

const freshFolder = useFolders();
const ask = (...args: string[]) => runMailkeep(args, { environment: { MAILKEEP_URL: server.http } });

describe("--since", () => {
  test.each([
    ["all", 2],
    ["1h", 2],
    ["0s", 0],
    ["2020-01-01", 2],
  ])("%s finds %d mails", async (since, count) => {
    expect((await ask("assert", "--since", since, "--count", String(count))).code).toBe(0);
  });

  test("an id finds what came after that mail", async () => {
    expect((await ask("wait", "--since", firstId)).out).toContain("Plain");
    expect((await ask("wait", "--since", "0s", "--timeout", "10ms")).code).toBe(1);
  });
});

describe("mailkeep assert", () => {
  test.each([
    [
      ["--count", "2"],
      0,
      /^✓ exactly 2 mails: found 2\n {2}"Plain" from shop@x\.test to bo@x\.test\n {2}"Your code" from .*\n$/,
    ],
    [["--to", "ANN@x.test"], 0, /^✓ at least 1 mail to ANN@x\.test: found 1\n {2}"Your code" from .*\n$/],
    [["--to", "nn@x.test", "--max", "0"], 0, "✓ no mail to nn@x.test: found 0\n"],
    [["--subject", "code", "--sender", "SHOP", "--min=1", "--max=1"], 0, /^✓ exactly 1 mail/],
    [["--unread", "--recipient", "x.test", "--count=2", "--settle", "50ms"], 0, /found 2\n/],
  ] as [string[], number, string | RegExp][])("%p holds", async (args, code, out) => {
    const result = await ask("assert", ...args);
    expect(result).toEqual({
      code,
      out: typeof out === "string" ? out : expect.stringMatching(out),
      err: "",
    });
  });

  test("exits with 1 when it does not hold, and says what is there instead", async () => {
    expect(await ask("assert", "--to", "cy@x.test", "--timeout", "50ms")).toEqual({
      code: 1,
      out: "",
      err: expect.stringMatching(
        /^✗ Expected at least 1 mail to cy@x\.test within \d+ ms; there is none\.\nThe newest mails that did not match:\n {2}"Plain" from shop@x\.test to bo@x\.test \(does not match: the envelope's recipients\)\n {2}"Your code" from .*\n$/,
      ),
    });
  });

  test.each([
    ["--help", ["--subject=--help"]],
    ["-h", ["--subject=-h"]],
  ])("looks for %s when that is the subject, and does not print the help", async (subject, args) => {
    const { code, err } = await ask("assert", ...args);
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining(`"${subject}"`) });
    expect((await ask("assert", "--subject", "x", subject)).out).toContain("Usage: mailkeep assert");
  });

  test("prints the API's answer as JSON", async () => {
    const { code, out } = await ask("assert", "--count", "1", "--format", "json");
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ ok: false, count: 2, expected_min: 1, expected_max: 1 });
  });

  test("waits for a mail that is still to come", async () => {
    const asserting = ask("assert", "--to", "late@x.test", "--timeout", "5m");
    await deliver(server.smtpPort, { to: ["late@x.test"], raw: "Subject: late\r\n\r\n" });
    expect((await asserting).code).toBe(0);
    expect((await ask("assert", "--to", "late@x.test", "--count", "1")).code).toBe(0);
    await fetch(`${server.http}/api/v1/messages?to=late@x.test`, { method: "DELETE" });
  });
});

describe("mailkeep wait", () => {
  test("prints the mail", async () => {
    const { code, out } = await ask("wait", "--to", "ann@x.test");
    expect(code).toBe(0);
    expect(out).toBe(
      [
        "✓ a mail to ann@x.test is there",
        `  id       ${firstId}`,
        "  from     shop@x.test",
        "  to       ann@x.test",
        "  subject  Your code",
        "  code     482913",
        "  link     https://x.test/confirm?t=1",
        "",
      ].join("\n"),
    );
  });

  test.each([
    [["--min", "1"], "at least 1 mail to ann@x.test"],
    [["--max", "3"], "1 to 3 mails to ann@x.test"],
  ])("prints the newest with %p", async (bounds, expectation) => {
    const { out } = await ask("wait", "--to", "ann@x.test", ...bounds);
    expect(out).toStartWith(`✓ ${expectation}: here is the newest\n  id       ${firstId}\n`);
  });

  test.each([
    ["code", "482913\n"],
    ["link", "https://x.test/confirm?t=1\n"],
    ["text", /^Your code is 482913\./],
    ["id", /^[0-9A-Z]{26}\n$/],
  ])("extracts the %s alone", async (part, expected) => {
    const { code, out, err } = await ask("wait", "--to", "ann@x.test", "--extract", part);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(expected);
  });

  test("says when there is nothing to extract", async () => {
    const { code, out, err } = await ask("wait", "--to", "bo@x.test", "--extract", "code");
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/^mailkeep: the mail \w+ "Plain" has no code\n$/);
  });

  test("prints all of it as JSON", async () => {
    const { out } = await ask("wait", "--to", "ann@x.test", "--format", "json");
    expect(JSON.parse(out)).toMatchObject({ ok: true, message: { id: firstId, code: "482913", html: "" } });
  });

  test("waits with --min until that many are there, and prints the newest", async () => {
    const waiting = ask("wait", "--subject", "pair", "--min", "2", "--timeout", "5m", "--extract", "id");
    const ids = [];
    for (const subject of ["pair 1", "pair 2"]) {
      ids.push(await deliver(server.smtpPort, { to: ["pair@x.test"], raw: `Subject: ${subject}\r\n\r\n` }));
    }
    expect(await waiting).toEqual({ code: 0, out: `${ids[1]}\n`, err: "" });
    expect((await ask("wait", "--subject", "pair", "--max", "1", "--timeout", "20ms")).code).toBe(1);
    await fetch(`${server.http}/api/v1/messages?to=pair@x.test`, { method: "DELETE" });
  });

  test("without a match exits with 1, and is a failure in JUnit", async () => {
    const { code, out } = await ask("wait", "--to", "no@x.test", "--timeout=20ms", "--format=junit");
    expect(code).toBe(1);
    expect(out).toContain('<failure message="No mail to no@x.test came within');
  });
});

describe("exit codes", () => {
  test.each([
    [["assert", "--mni", "1"], "mailkeep: unknown flag --mni; did you mean --min?\n"],
    [["assert", "--count=1", "--min=1"], "mailkeep: --count cannot be combined with --min or --max\n"],
    [["assert", "--min=3", "--max=1"], /^mailkeep: --min 3 is more than --max 1: no number of mails/],
    [["wait", "--min=3", "--max=1"], /^mailkeep: --min 3 is more than --max 1: no number of mails/],
    [["wait", "--extract=code", "--format=json"], "mailkeep: --extract and --format cannot be combined\n"],
    [["wait", "extra"], "mailkeep: unexpected argument 'extra'\n"],
    [["assert", "--url", "localhost"], /^mailkeep: --url: 'localhost' is not valid/],
    [["wait", "--to=ann@x.test", "--to", "bo@x.test"], "mailkeep: --to can be given only once\n"],
    [["export", "--subject=a", "--subject=a"], "mailkeep: --subject can be given only once\n"],
  ] as [string[], string | RegExp][])("%p is 2", async (args, line) => {
    const { code, err } = await ask(...args);
    expect(code).toBe(2);
    expect(err).toMatch(line);
  });

  test.each(["wait", "assert", "export", "import package.json"])(
    "mailkeep %s exits with 3 when no server answers",
    async (line) => {
      const environment = { MAILKEEP_URL: `http://${CLOSED_ADDRESS}`, MAILKEEP_SMTP: CLOSED_ADDRESS };
      const { code, err } = await runMailkeep(line.split(" "), { environment });
      expect(code).toBe(3);
      expect(err.trimEnd().split("\n")).toHaveLength(1);
    },
  );
});

describe.each(["wait", "assert"])(
  "mailkeep %s exits with 3, which means that no mail was counted,",
  (command) => {
    test.each([
      ["another web server says 404", () => new Response("nothing here", { status: 404 })],
      ["another web server expects otherwise", () => Response.json({}, { status: 417 })],
    ])("when %s", async (_name, answer) => {
      const other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer });
      const { code, err } = await runMailkeep([command, "--url", other.url.href]);
      await other.stop(true);
      expect({ code, err }).toEqual({ code: 3, err: expect.stringContaining("Is the address right?") });
    });

    test("when credentials are missing or wrong", async () => {
      await using locked = await startMailkeep({ args: ["--http-auth=ann:secret"] });
      const missing = await runMailkeep([command, "--url", locked.http]);
      expect(missing).toMatchObject({ code: 3, err: expect.stringContaining("requires credentials") });
      const wrong = await runMailkeep([command, "--url", locked.http.replace("//", "//ann:wrong@")]);
      expect(wrong).toMatchObject({ code: 3, err: expect.stringContaining("are wrong or no longer valid") });
    });

    test("when the server says that it stops", async () => {
      const problem = { error: "The server is stopping.", code: "stopping" };
      const fetch = () => Response.json(problem, { status: 503 });
      const stopping = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch });
      const { code } = await runMailkeep([command, "--timeout=5m", "--url", stopping.url.href]);
      await stopping.stop(true);
      expect(code).toBe(3);
    });
  },
);

describe("mailkeep health", () => {
  test("exits with 0 when all is well", async () => {
    expect(await ask("health")).toEqual({ code: 0, out: "ok\n", err: "" });
  });

  test("exits with 1 when no server answers", async () => {
    const { code, err } = await runMailkeep(["health", "--url", `http://${CLOSED_ADDRESS}`]);
    expect({ code, err }).toEqual({
      code: 1,
      err: `mailkeep: Mailkeep does not answer at http://${CLOSED_ADDRESS} (connection refused). Is it running, and is this its address?\n`,
    });
  });

  test("does not print the credentials of an address that does not answer in time", async () => {
    const silent = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => new Promise<Response>(() => {}),
    });
    const { port } = silent;
    const url = `http://ann:secret@127.0.0.1:${port}`;
    const { code, err } = await runMailkeep(["health", "--wait=1s", "--url", url]);
    await silent.stop(true);
    expect({ code, err }).toEqual({
      code: 1,
      err: `mailkeep: http://127.0.0.1:${port} did not answer in time\n`,
    });
  });

  test("waits for a server that is still to come", async () => {
    const port = freePort();
    const waiting = runMailkeep(["health", "--wait", "5m", "--url", `http://127.0.0.1:${port}`]);
    await using late = await startMailkeep({ args: [`--http-port=${port}`] });
    expect((await waiting).code).toBe(0);
    expect(late.http).toBe(`http://127.0.0.1:${port}`);
  });
});

describe("without an address, commands find the server that has the same environment", () => {
  test.each([
    ["its port", {}],
    ["its port on every network", { MAILKEEP_BIND: "0.0.0.0" }],
    ...(hasIpv6 ? [["its IPv6 address", { MAILKEEP_BIND: "::1" }] as const] : []),
    ["its credentials", { MAILKEEP_HTTP_AUTH: "ann b:se:c%ret/ü@" }],
  ])("by %s", async (_what, given: Record<string, string>) => {
    await using running = await startMailkeep({ environment: given });
    const port = /:(\d+)$/.exec(running.http)?.[1] ?? "";
    const environment = { ...given, MAILKEEP_HTTP_PORT: port, MAILKEEP_URL: "" };
    expect(await runMailkeep(["health"], { environment })).toEqual({ code: 0, out: "ok\n", err: "" });
    expect(await runMailkeep(["assert", "--count=0"], { environment })).toMatchObject({ code: 0, err: "" });
  });

  test("by the file that MAILKEEP_CONFIG names", async () => {
    await using running = await startMailkeep();
    const file = join(freshFolder(), "mailkeep.toml");
    await Bun.write(file, `http-port = ${/:(\d+)$/.exec(running.http)?.[1]}\nretention = "30d"\n`);
    const environment = { MAILKEEP_CONFIG: file, MAILKEEP_URL: "" };
    expect(await runMailkeep(["health"], { environment })).toEqual({ code: 0, out: "ok\n", err: "" });
  });
});

test.skipIf(process.platform === "win32")("a long mail is printed to the end into a pipe", async () => {
  await using own = await startMailkeep();
  const raw = `Subject: Long\r\n\r\n${"All of it.\r\n".repeat(50_000)}`;
  await deliver(own.smtpPort, { from: "a@x.test", to: ["b@x.test"], raw });
  const command = mailkeepCommand(["wait", "--extract", "text"]);
  const child = Bun.spawn(["sh", "-c", '"$@" | cat', "sh", ...command], {
    env: { ...process.env, MAILKEEP_URL: own.http },
  });
  expect((await child.stdout.text()).split("All of it.")).toHaveLength(50_001);
});

test("an empty --from means the null sender", async () => {
  const id = await deliver(server.smtpPort, {
    from: "",
    to: ["bounces@x.test"],
    raw: "Subject: bounced\r\n\r\n",
  });
  expect(await ask("assert", "--from", "", "--count", "1")).toEqual({
    code: 0,
    out: expect.stringMatching(/^✓ exactly 1 mail from <>: found 1\n/),
    err: "",
  });
  expect((await ask("wait", "--from=", "--extract=id")).out).toBe(`${id}\n`);
});
