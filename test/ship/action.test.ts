// Runs the scripts of the GitHub action like a runner. A local server replaces the release page.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CLOSED_ADDRESS } from "../support/closed-port.ts";
import { hasIpv6 } from "../support/ipv6.ts";
import { mailkeepCommand, runProgram } from "../support/mailkeep.ts";
import { deliver, openSession, sendMail } from "../support/smtp-client.ts";
import { RELEASE_VERSION, type ServedRelease, serveRelease } from "./release-folder.ts";

const SCRIPTS = join(import.meta.dir, "../../scripts/action");
const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(" ");
const canRun = process.platform !== "win32" && Bun.which("bash") !== null && Bun.which("curl") !== null;

let scratch: string;
let binary: string;
let release: ServedRelease;
const servers: number[] = [];

beforeAll(() => {
  release = serveRelease(`exec ${quoted(mailkeepCommand([]))} "$@"`);
});
afterAll(() => release.stop());

beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), "mailkeep-action-"));
  binary = join(scratch, "my-mailkeep");
  await Bun.write(binary, `#!/bin/sh\nexec ${quoted(mailkeepCommand([]))} "$@"\n`);
  await chmod(binary, 0o755);
});
afterEach(async () => {
  for (const pid of servers.splice(0)) stop(pid);
  await rm(scratch, { recursive: true, force: true });
});

function stop(pid: number): void {
  try {
    process.kill(pid, "SIGTERM");
  } catch {
    // The server has already ended.
  }
}

/** The `name=value` lines that a step writes for the runner. */
async function lines(file: string): Promise<Record<string, string>> {
  const text = await Bun.file(join(scratch, file))
    .text()
    .catch(() => "");
  const pairs = text.split("\n").filter(Boolean);
  return Object.fromEntries(pairs.map((line) => [line.split("=")[0], line.slice(line.indexOf("=") + 1)]));
}

const summary = () =>
  Bun.file(join(scratch, "summary.md"))
    .text()
    .catch(() => "");

/** One step of a job: `uses: mailkeep/mailkeep` with these inputs. */
async function step(
  inputs: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>> = {},
) {
  const given = Object.entries(inputs).map(([name, value]) => [
    `INPUT_${name.replaceAll("-", "_").toUpperCase()}`,
    value,
  ]);
  await Bun.write(join(scratch, "output"), "");
  const ran = await runProgram(["bash", join(SCRIPTS, "run.sh")], {
    cwd: scratch,
    env: {
      PATH: process.env.PATH ?? "",
      HOME: scratch,
      TMPDIR: scratch,
      CI: "true",
      RUNNER_TEMP: scratch,
      RUNNER_OS: process.platform === "darwin" ? "macOS" : "Linux",
      RUNNER_ARCH: process.arch.toUpperCase(),
      GITHUB_OUTPUT: join(scratch, "output"),
      GITHUB_ENV: join(scratch, "env"),
      GITHUB_PATH: join(scratch, "path"),
      GITHUB_STEP_SUMMARY: join(scratch, "summary.md"),
      MAILKEEP_BASE_URL: release.url,
      INPUT_VERSION: RELEASE_VERSION,
      ...(await lines("env")),
      ...variables,
      ...Object.fromEntries(given),
    },
  });
  for (const file of new Bun.Glob("mailkeep/*.pid").scanSync(scratch)) {
    const pid = Number(await Bun.file(join(scratch, file)).text());
    if (!servers.includes(pid)) servers.push(pid);
  }
  return { ...ran, outputs: await lines("output") };
}

const FREE_PORTS = { "smtp-port": "0", "http-port": "0" };
/** Starts the executable `binary`, so that nothing is downloaded. */
const start = (inputs = {}, variables = {}) => step({ binary, ...FREE_PORTS, ...inputs }, variables);

const send = (port: string | undefined, subject: string) =>
  deliver(Number(port), {
    from: "me@example.com",
    to: ["you@example.com"],
    raw: `Subject: ${subject}\r\n\r\nIt works.\r\n`,
  });

describe.skipIf(!canRun)("mode: start", () => {
  test("downloads and starts Mailkeep, waits for it and tells later steps where it is", async () => {
    const { err, code, outputs } = await step(FREE_PORTS);
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("Installed ") });
    const port = outputs["smtp-port"];
    expect(outputs).toEqual({
      "smtp-host": "127.0.0.1",
      "smtp-port": expect.stringMatching(/^\d+$/),
      "smtp-url": `smtp://127.0.0.1:${port}`,
      "http-url": expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      log: join(scratch, "mailkeep/server.log"),
    });
    expect(await lines("env")).toEqual({
      SMTP_HOST: "127.0.0.1",
      SMTP_PORT: String(port),
      SMTP_URL: `smtp://127.0.0.1:${port}`,
      MAILKEEP_SMTP: `127.0.0.1:${port}`,
      MAILKEEP_URL: String(outputs["http-url"]),
    });
    expect(await Bun.file(join(scratch, "path")).text()).toBe(`${join(scratch, "mailkeep/bin")}\n`);
    const health = await fetch(`${outputs["http-url"]}/api/v1/health`);
    expect(health.status).toBe(200);
  });

  test("with url the job gets its own inbox on an existing server", async () => {
    const { outputs: server } = await start({ flags: "--http-auth ann:secret" });
    const url = String(server["http-url"]);
    await rm(join(scratch, "env"));
    const { code, out, outputs } = await step({ binary, url: url.replace("://", "://ann:secret@") });
    const env = await lines("env");
    expect({ code, outputs }).toEqual({
      code: 0,
      outputs: {
        "smtp-host": "127.0.0.1",
        "smtp-port": String(server["smtp-port"]),
        "smtp-url": `smtp://${outputs.inbox}:${env.MAILKEEP_TOKEN}@127.0.0.1:${server["smtp-port"]}`,
        "http-url": url,
        inbox: expect.stringMatching(/^test-/),
        address: `inbox+${outputs.inbox}@mailkeep.test`,
      },
    });
    expect(out).toContain(`::add-mask::${env.MAILKEEP_TOKEN}`);
    expect(env).toMatchObject({ SMTP_USER: outputs.inbox, SMTP_PASSWORD: env.MAILKEEP_TOKEN });
    const listed = await fetch(`${url}/api/v1/inboxes`, {
      headers: { authorization: `Bearer ${env.MAILKEEP_TOKEN}` },
    });
    expect(await listed.json()).toMatchObject({ inboxes: [{ name: outputs.inbox }] });
  });

  test("version: latest uses the newest release, once per job", async () => {
    const inputs = { ...FREE_PORTS, version: "latest" };
    const [first, second] = [await step(inputs), await step(inputs)];
    expect([first.code, second.code]).toEqual([0, 0]);
    expect(first.err).toStartWith(`Downloading mailkeep-${RELEASE_VERSION}-`);
    expect(second.err).toBe("");
  });

  const ANN = "%61%6e%6e:%70%40%73%73";
  const ANYBODY = "%6d%61%69%6c%6b%65%65%70:%6d%61%69%6c%6b%65%65%70";
  test.each([
    ["by a flag", { flags: "--smtp-auth ann:p@ss --smtp-auth-required --smtp-auth bob:other" }, ANN, {}],
    ["by a flag with a value", { flags: "--smtp-auth-required --smtp-auth=ann:p@ss" }, ANN, {}],
    ["of anybody", { flags: "--smtp-auth-required" }, ANYBODY, {}],
    ["by the value of a flag", { flags: "--smtp-auth-required=yes" }, ANYBODY, {}],
    ["by a variable alone", {}, ANYBODY, { MAILKEEP_SMTP_AUTH_REQUIRED: "True" }],
    ["by a variable", { flags: "--smtp-auth-required" }, ANN, { MAILKEEP_SMTP_AUTH: "ann:p@ss,bob:other" }],
  ])("mailkeep send gets the login that is required %s", async (_name, inputs, login, variables) => {
    const { out } = await start(inputs, variables);
    const { MAILKEEP_SMTP = "", MAILKEEP_URL = "" } = await lines("env");
    expect(MAILKEEP_SMTP).toMatch(new RegExp(`^smtp://${login}@127\\.0\\.0\\.1:\\d+$`));
    expect(out).toContain(`::add-mask::${login.split(":")[1]?.replaceAll("%", "%25")}\n`);
    const sending = Bun.spawn([binary, "send", "you@example.com"], {
      env: { MAILKEEP_SMTP },
      stdin: Buffer.from("Subject: Hi\n\n"),
    });
    expect(await sending.exited).toBe(0);
    expect(await (await fetch(`${MAILKEEP_URL}/api/v1/assert/count?min=1&max=1`)).json()).toMatchObject({
      ok: true,
    });
  });

  const FILE = "users";
  test.each([
    ["if only a file names users", `--smtp-auth-required --smtp-auth-file ${FILE}`, {}],
    ["if only the file of a variable names users", "--smtp-auth-required", { MAILKEEP_SMTP_AUTH_FILE: FILE }],
    [
      "if a flag lifts what a variable requires",
      "--smtp-auth-required=false",
      { MAILKEEP_SMTP_AUTH_REQUIRED: "1" },
    ],
  ])("mailkeep send gets no login %s", async (_name, flags, variables) => {
    await Bun.write(join(scratch, FILE), "ann:secret\n");
    expect((await start({ flags }, variables)).code).toBe(0);
    expect((await lines("env")).MAILKEEP_SMTP).toMatch(/^127\.0\.0\.1:\d+$/);
  });

  test("starts with any --log-format", async () => {
    const { code, err } = await start({ flags: "--log-format text" });
    expect({ code, err }).toEqual({ code: 0, err: "" });
  });

  test("reports the address of the server", async () => {
    const { outputs } = await start({ flags: "--bind 0.0.0.0" });
    expect(outputs).toMatchObject({
      "smtp-host": "127.0.0.1",
      "http-url": expect.stringMatching(/127\.0\.0\.1/),
    });
  });

  test.skipIf(!hasIpv6)("reports an IPv6 address of the server", async () => {
    const { code, outputs } = await start({ flags: "--bind ::1" });
    const port = outputs["smtp-port"];
    expect({ code, outputs }).toMatchObject({
      code: 0,
      outputs: {
        "smtp-host": "::1",
        "smtp-url": `smtp://[::1]:${port}`,
        "http-url": expect.stringMatching(/^http:\/\/\[::1\]:\d+$/),
      },
    });
    expect(await lines("env")).toMatchObject({ SMTP_HOST: "::1", MAILKEEP_SMTP: `[::1]:${port}` });
    expect((await step({ binary, mode: "report" })).code).toBe(0);
  });

  test("puts a given executable into the PATH as mailkeep", async () => {
    await start();
    const folder = (await Bun.file(join(scratch, "path")).text()).trim();
    const { stdout } = Bun.spawnSync([join(folder, "mailkeep"), "--version"]);
    expect(stdout.toString()).toStartWith("mailkeep ");
  });

  test("starts a second server next to the first, with its own log", async () => {
    const [first, second] = [await start(), await start()];
    expect([first.code, second.code]).toEqual([0, 0]);
    expect(second.outputs.log).toBe(join(scratch, "mailkeep/server-2.log"));
    for (const { log = "", "smtp-port": port } of [first.outputs, second.outputs])
      expect(await Bun.file(log).text()).toContain(`"smtp":"127.0.0.1:${port}"`);
    expect((await lines("env")).SMTP_PORT).toBe(second.outputs["smtp-port"]);
  });

  test("fails with the server's sentence if it cannot start", async () => {
    const { out, code } = await start({ flags: "--bindd x" });
    expect(code).toBe(1);
    expect(out).toContain("\n::error title=Mailkeep::Mailkeep did not start: mailkeep: unknown flag --bindd");
  });

  test.each(['--smtp-auth "ann:s3cret"', "--smtp-auth='ann:s3cret'"])(
    "refuses quotes around a value: %s",
    async (flags) => {
      expect(await start({ flags })).toMatchObject({
        out: "::error title=Mailkeep::flags are split at spaces: leave the quotes out\n",
        code: 1,
      });
    },
  );

  test("accepts a quote within a value", async () => {
    expect((await start({ flags: `--smtp-auth ann:it's"` })).code).toBe(0);
  });

  test("ends a server that does not become healthy and shows its log", async () => {
    const sick = join(scratch, "sick");
    await Bun.write(
      sick,
      `#!/bin/sh
if [ "$1" = health ]; then exit 1; fi
echo '{"event":"ready","smtp":"127.0.0.1:1","http":"http://127.0.0.1:2"}'
echo "::warning::out of order"
exec sleep 60
`,
    );
    await chmod(sick, 0o755);
    const { out, code } = await step({ binary: sick });
    expect(code).toBe(1);
    expect(out).toMatch(
      /^::group::Mailkeep's log\n::stop-commands::(\S+)\n.*\n::warning::out of order\n::\1::\n::endgroup::\n/,
    );
    expect(out).toEndWith("::error title=Mailkeep::Mailkeep is not healthy at http://127.0.0.1:2\n");
    expect(() => process.kill(servers.at(-1) ?? 0, 0)).toThrow("ESRCH");
  });

  test("fails when the given file is not an executable", async () => {
    const { err, code } = await step({ binary: "dist/mailkeep" });
    expect({ err, code }).toEqual({ err: "binary: dist/mailkeep is no executable file\n", code: 1 });
  });

  test("fails when there is no such release", async () => {
    const { out, err, code } = await step({ version: "0.0.1" });
    expect({ out, code }).toEqual({
      out: "::error title=Mailkeep::Mailkeep could not be installed\n",
      code: 1,
    });
    expect(err).toContain("in version 0.0.1");
  });
});

describe.skipIf(!canRun)("credentials", () => {
  const PASSWORD = "s3:c%ret/ü@'";
  /** The output that the runner would print, without the commands that mask values. */
  const printed = ({ out, err }: { out: string; err: string }) =>
    (out + err).replace(/^::add-mask::.*$/gm, "");

  test("are required by the server and known to later steps, and no step prints them", async () => {
    const started = await start({ "http-auth": `ann:${PASSWORD}` });
    expect(started).toMatchObject({ code: 0 });
    const { "http-url": url = "", "smtp-port": port } = started.outputs;
    expect(url).not.toContain("@");
    expect((await fetch(`${url}/api/v1/messages`)).status).toBe(401);
    const { MAILKEEP_URL } = await lines("env");
    const encoded = new URL(String(MAILKEEP_URL)).password;
    expect(decodeURIComponent(encoded)).toBe(PASSWORD);
    expect(started.out).toContain(`::add-mask::${PASSWORD.replaceAll("%", "%25")}\n`);
    expect(started.out).toContain(`::add-mask::${encoded.replaceAll("%", "%25")}\n`);

    await send(port, "Welcome");
    const asserted = await step({ binary, mode: "assert", count: "1", timeout: "5m" });
    const reported = await step({ binary, mode: "report" });
    expect([asserted.code, reported.code, reported.outputs.count]).toEqual([0, 0, "1"]);
    for (const one of [started, asserted, reported].map(printed)) {
      expect(one).not.toContain(PASSWORD);
      expect(one).not.toContain(encoded);
    }
    expect(await summary()).not.toContain(encoded);
  });

  test("from a file are used without the line end", async () => {
    expect((await start({ "http-auth": "ann:secret\r\n" })).code).toBe(0);
    expect((await lines("env")).MAILKEEP_URL).toContain("@127.0.0.1:");
    expect((await step({ binary, mode: "assert", max: "0" })).code).toBe(0);
  });

  test("of a flag are required by the server, known to later steps, and win over the input", async () => {
    const flags = "--log-level warn\n--http-auth  ann:s3cret\n";
    const started = await start({ flags, "http-auth": "eve:third" });
    expect(started.outputs["http-url"]).not.toContain("@");
    expect((await fetch(`${started.outputs["http-url"]}/api/v1/messages`)).status).toBe(401);
    expect((await lines("env")).MAILKEEP_URL).toContain("://%61%6e%6e:%73%33%63%72%65%74@127.0.0.1:");
    expect((await step({ binary, mode: "assert", max: "0" })).code).toBe(0);
    expect(printed(started)).not.toContain("s3cret");
  });

  test.each([
    [{ flags: "--http-auth=read=bob:b --http-auth ann:s3cret --http-auth eve:c" }, {}],
    [{ flags: "--http-auth=admin=ann:s3cret" }, {}],
    [{ "http-auth": "write=bob:b, ann:s3cret,eve:c" }, {}],
    [{}, { MAILKEEP_HTTP_AUTH: "read=bob:b,admin=ann:s3cret" }],
  ])("of several users: later steps log in as the first admin of %j %j", async (inputs, variables) => {
    expect(await start(inputs, variables)).toMatchObject({ code: 0 });
    expect((await lines("env")).MAILKEEP_URL).toContain("://%61%6e%6e:%73%33%63%72%65%74@127.0.0.1:");
    expect((await step({ binary, mode: "assert", max: "0" })).code).toBe(0);
  });

  test("of a flag win over those of a variable in later steps", async () => {
    const variables = { MAILKEEP_HTTP_AUTH: "bob:other" };
    await start({ flags: "--http-auth ann:s3cret" }, variables);
    expect((await step({ binary, mode: "assert", max: "0" }, variables)).code).toBe(0);
    expect((await step({ binary, mode: "report" }, variables)).code).toBe(0);
  });

  test("of the input are sent to a server that something else started", async () => {
    const started = await start({ flags: "--http-auth ann:secret" });
    await Bun.write(join(scratch, "env"), `MAILKEEP_URL=${started.outputs["http-url"]}\n`);
    expect((await step({ binary, mode: "assert", max: "0" })).code).toBe(3);
    expect(await summary()).toContain("it requires credentials");
    const asserted = await step({ binary, mode: "assert", max: "0", "http-auth": "ann:secret" });
    expect(asserted.code).toBe(0);
    expect(printed(asserted)).not.toContain("secret");
    expect(started.code).toBe(0);
  });

  test("without a colon are refused and not printed", async () => {
    const { out, code } = await start({ "http-auth": "secret" });
    expect({ out, code }).toEqual({
      out: "::error title=Mailkeep::http-auth must be user:password\n",
      code: 1,
    });
  });
});

describe.skipIf(!canRun)("mode: assert", () => {
  test("passes if the mail is there, and says so in the summary", async () => {
    const { outputs } = await start();
    await send(outputs["smtp-port"], "Welcome `Ann` ``` | x");
    const { code, err } = await step({
      binary,
      mode: "assert",
      count: "1",
      subject: "welcome",
      recipient: "you@",
      timeout: "5m",
    });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(await summary()).toStartWith(
      "### ✅ Mail arrived as expected\n\n````text\nmailkeep assert --count=1 --subject=welcome",
    );
    expect(await summary()).toContain(
      'found 1\n  "Welcome `Ann` ``` | x" from me@example.com to you@example.com\n',
    );
  });

  test("waits for a mail that is on its way", async () => {
    const { outputs } = await start();
    const asserted = step({ binary, mode: "assert", timeout: "5m" });
    await send(outputs["smtp-port"], "Late");
    expect((await asserted).code).toBe(0);
  });

  test("fails if the mail is not there, and shows which mails are", async () => {
    const { outputs } = await start();
    await send(outputs["smtp-port"], "Goodbye");
    const { out, code } = await step({
      binary,
      mode: "assert",
      min: "1",
      subject: "welcome",
      timeout: "200ms",
    });
    expect(code).toBe(1);
    expect(out).toContain("::error title=Mailkeep::");
    const text = await summary();
    expect(text).toStartWith("### ❌ Mail did not arrive as expected\n");
    expect(text).toContain("Goodbye");
  });

  test("looks for a subject that looks like a flag", async () => {
    await start();
    const { out, code } = await step({ binary, mode: "assert", subject: "-h", timeout: "100ms" });
    expect(code).toBe(1);
    expect(out).toContain('with a subject containing "-h"');
  });

  test("keeps a value of several lines within its block of the summary", async () => {
    await start();
    await step({ binary, mode: "assert", subject: "a\n````\r# b", timeout: "100ms" });
    const fences = (await summary()).split(/\r|\n/).filter((line) => line.startsWith("````"));
    expect(fences).toEqual(["````text", "````"]);
  });

  test("fails if nothing answers at the address", async () => {
    await Bun.write(join(scratch, "env"), `MAILKEEP_URL=http://${CLOSED_ADDRESS}\n`);
    const { out, code } = await step({ binary, mode: "assert", timeout: "1s" });
    expect(code).toBe(3);
    expect(out).toContain(`http://${CLOSED_ADDRESS}`);
    expect(await summary()).toStartWith("### ⚠️ Mailkeep could not be asked: nothing was checked\n");
  });

  test.each([
    ["no number of mails can satisfy both", { min: "3", max: "1" }],
    ["--count cannot be combined with --min or --max", { min: "1", count: "1" }],
    ["--timeout: 'soon' is not valid", { timeout: "soon" }],
    ["a span of time such as 500ms, 10s, 5m, 12h or 7d", { max: "0", timeout: "10" }],
  ])("fails for wrong usage, and the summary says that nothing was checked: %s", async (words, inputs) => {
    const { out, code } = await step({ binary, mode: "assert", ...inputs });
    expect(code).toBe(2);
    expect(out).toContain(words);
    expect(await summary()).toStartWith("### ⚠️ The assertion is not valid: nothing was checked\n");
  });
});

describe.skipIf(!canRun)("mode: check", () => {
  test("fails for findings, which are annotations and in the summary", async () => {
    const { outputs } = await start();
    await send(outputs["smtp-port"], "Hello {{name}}\u0001::error::x");
    const { out, code } = await step({ binary, mode: "check", only: "content" });
    expect(code).toBe(1);
    expect(out).toContain("::error title=content%3A placeholder::");
    expect(out.split("\n").filter((line) => line.startsWith("::error::"))).toEqual([]);
    expect(await summary()).toContain("### ❌ The mails do not pass their checks\n");
    expect(await summary()).toContain("error placeholder, Subject: A placeholder was left: “{{name}}”.");
  });

  test("passes if no finding is bad enough, and refuses an unknown severity", async () => {
    const { outputs } = await start();
    await send(outputs["smtp-port"], "Hello");
    expect((await step({ binary, mode: "check", only: "links" })).code).toBe(0);
    expect(await summary()).toContain("### ✅ The mails pass their checks\n");
    expect((await step({ binary, mode: "check", "fail-on": "everything" })).code).toBe(2);
  });
});

describe.skipIf(!canRun)("mode: report", () => {
  test("puts every mail into a folder and a table without markup of mails into the summary", async () => {
    const { outputs } = await start();
    await send(outputs["smtp-port"], "First | <img src=x> [a](b)");
    await send(outputs["smtp-port"], "Second");
    const reported = await step({ binary, mode: "report" });
    expect(reported).toMatchObject({ code: 0, err: "" });
    expect(reported.outputs).toEqual({ folder: join(scratch, "mailkeep/report"), count: "2" });
    const files = (await readdir(join(scratch, "mailkeep/report"))).sort();
    expect(files).toHaveLength(2);
    const [first = ""] = files;
    expect(await Bun.file(join(scratch, "mailkeep/report", first)).text()).toStartWith("Subject: First");
    const text = await summary();
    expect(text).toStartWith("### 📬 Mail captured: 2\n\n| time (UTC) | from |");
    expect(text).toContain("| First &#124; &lt;img src=x> &#91;a&#93;(b) |");
    expect(text.indexOf("First")).toBeLessThan(text.indexOf("Second"));
  });

  test("fits into the summary of a job however many mails there are", async () => {
    const { outputs } = await start();
    const client = await openSession(Number(outputs["smtp-port"]));
    const mails = 501;
    const raw = `Subject: www.example.com \u202e${"|".repeat(900)}\r\n\r\n`;
    for (let sent = 0; sent < mails; sent++) await sendMail(client, { raw });
    client.end();
    const reported = await step({ binary, mode: "report" });
    expect(reported.outputs.count).toBe(String(mails));
    const text = await summary();
    expect(text.length).toBeLessThan(1024 ** 2);
    expect(text).toContain("| www&#46;example.com \ufffd&#124;&#124;");
    expect(text).toEndWith("\n… and 1 more, in the folder.\n");
  });

  test("says if there was no mail", async () => {
    await start();
    const { code, outputs } = await step({ binary, mode: "report" });
    expect({ code, count: outputs.count }).toEqual({ code: 0, count: "0" });
    expect(await summary()).toBe("### 📬 Mail captured: 0\n\nNo mail was captured.\n");
  });
});

test.skipIf(!canRun)("an unknown mode is an error that names the known ones", async () => {
  const { out, code } = await step({ mode: "stop" });
  expect({ out, code }).toEqual({
    out: "::error title=Mailkeep::unknown mode 'stop' (known: start, assert, check, report)\n",
    code: 1,
  });
});

test.skipIf(!canRun)("a mode cannot become a command of the runner", async () => {
  const { out } = await step({ mode: "x\n::warning::y\r::warning::z" });
  expect(out.trimEnd()).not.toMatch(/[\r\n]/);
});

test.skipIf(!Bun.which("shellcheck"))("the scripts pass shellcheck", () => {
  const files = readdirSync(SCRIPTS).map((name) => join(SCRIPTS, name));
  const { stdout } = Bun.spawnSync(["shellcheck", "-x", ...files], { cwd: join(SCRIPTS, "../..") });
  expect(stdout.toString()).toBe("");
});
