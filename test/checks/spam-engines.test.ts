// The spam check with real engines, which these tests start: Debian's packages spamd and rspamd.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "../../scripts/postgres.ts";
import type { SpamEngines } from "../../src/checks/mail.ts";
import { checkSpam } from "../../src/checks/spam.ts";
import { tempFolder } from "../support/folders.ts";
import { until } from "../support/until.ts";
import { told } from "./support/mail.ts";

const PATH = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`;
const isRoot = process.getuid?.() === 0;
const folder = tempFolder();
afterAll(() => folder.remove());
const engines = { spamassassin: undefined, rspamd: undefined };

const bytes = (...lines: string[]) => new TextEncoder().encode(lines.join("\r\n"));
const HEAD = [
  "From: Shop <shop@example.com>",
  "To: Ann <ann@example.com>",
  "Date: Tue, 17 Nov 2026 10:00:00 +0000",
  "Message-ID: <1@example.com>",
  "Subject: Your order",
];
const GOOD = bytes(...HEAD, "", "Thank you for your order. It ships tomorrow.", "");
/** Both engines treat this line as spam (spamassassin.apache.org/gtube). */
const GTUBE = "XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X";
const SPAM = bytes(...HEAD, "", GTUBE, "");
const LATE = bytes("From: Shop <shop@example.com>", "Subject: Your order", "", "Thank you.", "");

/** The engine is ready when it has judged one mail, because the first takes longest. */
async function start(command: readonly string[], asked: SpamEngines): Promise<Bun.Subprocess> {
  const child = Bun.spawn([...command], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, PATH },
  });
  const hasAnswered = async () => {
    if (child.exitCode !== null) throw new Error(await new Response(child.stderr).text());
    return (await checkSpam({ raw: LATE, engines: asked })).score !== null;
  };
  await until(hasAnswered, `an answer of ${command[0]}`);
  return child;
}

const spamd = Bun.which("spamd", { PATH });
describe.skipIf(!spamd)("SpamAssassin's spamd", () => {
  const port = freePort();
  const asked = { ...engines, spamassassin: `127.0.0.1:${port}` };
  let child: Bun.Subprocess;
  beforeAll(async () => {
    const limits = ["--local", "--max-children=1", "--nouser-config", "--syslog=stderr"];
    const user = isRoot ? ["--username=nobody"] : [];
    const pid = ["--pidfile", join(folder.path, "spamd.pid")];
    child = await start([spamd ?? "", ...limits, `--listen=127.0.0.1:${port}`, ...user, ...pid], asked);
  });
  afterAll(async () => {
    child.kill();
    await child.exited;
  });

  test("gives a good mail few points", async () => {
    const check = await checkSpam({ raw: GOOD, engines: asked });
    expect(check.status).not.toBe("fail");
    expect(check.score).toBeLessThan(5);
  });

  test("calls its test line spam and names the rule", async () => {
    const check = await checkSpam({ raw: SPAM, engines: asked });
    expect(check).toMatchObject({ status: "fail", score: expect.any(Number) });
    expect(told(check).slice(0, 2)).toEqual(["spam", "GTUBE"]);
    expect(check.findings[1]?.message).toStartWith("SpamAssassin gives 1000 points: ");
  });

  test("names a missing field", async () => {
    expect(told(await checkSpam({ raw: LATE, engines: asked }))).toContain("MISSING_DATE");
  });
});

const rspamd = Bun.which("rspamd", { PATH });
describe.skipIf(!rspamd)("Rspamd", () => {
  const port = freePort();
  const asked = { ...engines, rspamd: `http://127.0.0.1:${port}` };
  let child: Bun.Subprocess;
  beforeAll(async () => {
    const files: Readonly<Record<string, string>> = {
      "worker-normal.inc": `bind_socket = "127.0.0.1:${port}"; count = 1;`,
      "worker-controller.inc": "enabled = false;",
      "worker-proxy.inc": "enabled = false;",
      "worker-fuzzy.inc": "enabled = false;",
      "logging.inc": 'type = "console";',
      "options.inc": [
        // No DNS server answers at this address, so the tests do not use the network.
        'dns { nameserver = ["127.0.0.1:9"]; timeout = 100ms; retransmits = 1; }',
        // A short list: with all top-level domains the start takes 20 s of processor time.
        `url_tld = "${join(folder.path, "tlds")}";`,
      ].join("\n"),
    };
    await mkdir(join(folder.path, "local.d"));
    await Bun.write(join(folder.path, "tlds"), "com\norg\n");
    for (const [name, text] of Object.entries(files))
      await Bun.write(join(folder.path, "local.d", name), text);
    const places = ["LOCAL_CONFDIR", "DBDIR", "RUNDIR", "LOGDIR"].map(
      (name) => `--var=${name}=${folder.path}`,
    );
    const pid = ["--pid", join(folder.path, "rspamd.pid")];
    child = await start([rspamd ?? "", "--no-fork", "--insecure", ...places, ...pid], asked);
  });
  afterAll(async () => {
    child.kill();
    await child.exited;
  });

  test("gives a good mail few points", async () => {
    const check = await checkSpam({ raw: GOOD, engines: asked });
    expect(check.status).not.toBe("fail");
    expect(check.score).toBeLessThan(15);
  });

  test("calls the test line spam", async () => {
    const check = await checkSpam({ raw: SPAM, engines: asked });
    expect(check).toMatchObject({ status: "fail", score: 15 });
    expect(told(check)).toEqual(["spam"]);
  });

  test("names a missing field", async () => {
    const check = await checkSpam({ raw: LATE, engines: asked });
    expect(check.findings).toContainEqual({
      rule: "MISSING_DATE",
      severity: "warning",
      message: "Rspamd gives 1 point: Message date is missing.",
      help: "See the documentation of Rspamd for this rule.",
      where: null,
      points: 1,
    });
  });
});
