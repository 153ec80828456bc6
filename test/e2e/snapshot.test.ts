// Golden mails on the command line: `snapshot`, `diff`, `report --html`, and `mail.snapshot()` of the client.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { connect } from "../../src/client/index.ts";
import { useFolders } from "../support/folders.ts";
import { type Running, runMailkeep, startMailkeep } from "../support/mailkeep.ts";
import { deliver } from "../support/smtp-client.ts";

const welcome = (code: string, words = "Welcome!") =>
  [
    "From: Shop <shop@example.com>",
    "To: ann@example.com",
    `Message-ID: <${crypto.randomUUID()}@example.com>`,
    `Date: ${new Date().toUTCString()}`,
    `Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe,_your_code_is_${code}?=`,
    "MIME-Version: 1.0",
    `Content-Type: multipart/mixed; boundary="${code}"`,
    "",
    `--${code}`,
    "Content-Type: text/html; charset=utf-8",
    "",
    `<p>${words} Your verification code is <b>${code}</b>.</p><img src="https://example.com/logo.png">`,
    '<link rel="preconnect" href="https://example.com">',
    `--${code}`,
    'Content-Type: text/csv; name="a.csv"',
    "Content-Disposition: attachment",
    "",
    "a,b",
    `--${code}--`,
    "",
  ].join("\r\n");
const BYE = "From: shop@example.com\r\nSubject: Bye <script>\r\n\r\nGood bye\r\n";

const freshFolder = useFolders();
let server: Running;
let golden: string;
const send = (raw: string) =>
  deliver(server.smtpPort, { from: "shop@example.com", to: ["ann@example.com"], raw });
const run = (...args: string[]) => runMailkeep(args, { environment: { MAILKEEP_URL: server.http } });

beforeAll(async () => {
  server = await startMailkeep();
});
afterAll(() => server.stop());
beforeEach(async () => {
  golden = join(freshFolder(), "golden");
  await fetch(`${server.http}/api/v1/messages`, { method: "DELETE" });
  await send(welcome("482913"));
  await send(BYE);
  expect(await run("snapshot", golden)).toMatchObject({ code: 0, out: `2 snapshots in ${golden}\n` });
  await fetch(`${server.http}/api/v1/messages`, { method: "DELETE" });
});

test("the same mails on another day and in another order are not a difference", async () => {
  await Bun.write(join(golden, "README.md"), "Accepted mails");
  await send(BYE);
  await send(welcome("771204"));
  expect(await run("diff", golden)).toMatchObject({ code: 0, out: "✓ 2 same\n" });
});

test("a changed, a new and a missing mail are shown, and the exit code is 1", async () => {
  await send(welcome("771204", "Hello!"));
  await send("Subject: Other\r\n\r\nSomething else, over\r\nseveral\r\nlines\r\n");
  const { code, out } = await run("diff", golden);
  expect(code).toBe(1);
  expect(out).toContain("✗ changed: Grüße, your code is <code>\n");
  expect(out).toContain("\n  -Welcome! Your verification code is <b><code></b>.\n");
  expect(out).toContain("\n  +Hello! Your verification code is <b><code></b>.\n");
  expect(out).toContain("✗ gone: Bye <script>\n");
  expect(out).toEndWith("✗ new: Other\n✗ 1 changed, 1 new, 1 gone\n");
  const json = JSON.parse((await run("diff", golden, "--format", "json", "--subject", "code")).out);
  expect(json).toMatchObject({ ok: false, mails: [{ status: "gone" }, { status: "changed" }] });
});

test("an exported zip is compared like the server's mails", async () => {
  await send(welcome("771204"));
  await send(BYE);
  const zip = join(golden, "..", "mails.zip");
  await run("export", "--output", zip);
  expect(await run("diff", golden, zip)).toMatchObject({ code: 0, out: "✓ 2 same\n" });
  expect(await run("diff", zip, golden)).toMatchObject({ code: 0, out: "✓ 2 same\n" });
});

test("a mask hides differences", async () => {
  await send(welcome("771204", "Hello!"));
  await send(BYE);
  expect(await run("diff", golden, "--mask", "(?:Welcome|Hello)!")).toMatchObject({ code: 0 });
  expect(await run("diff", golden, "--mask", "(")).toMatchObject({ code: 2 });
});

test("snapshots of mails that are no longer sent are removed", async () => {
  await Bun.write(join(golden, "README.md"), "mine");
  await send(welcome("771204"));
  expect(await run("snapshot", golden)).toMatchObject({ out: `1 snapshot in ${golden}, 1 removed\n` });
  expect((await readdir(golden)).sort()).toEqual(["README.md", "grüße-your-code-is-code.mail.txt"]);
});

test("no mail, no folder, and filters together with files are refused", async () => {
  expect(await run("snapshot", golden)).toMatchObject({ code: 1, err: "mailkeep: there is no mail\n" });
  expect((await readdir(golden)).length).toBe(2);
  expect(await run("snapshot")).toMatchObject({ code: 2 });
  expect(await run("diff", join(golden, "none"))).toMatchObject({ code: 2 });
  expect(await run("diff", golden, golden, "--to", "ann@example.com")).toMatchObject({ code: 2 });
  expect(await run("report", "--against", golden)).toMatchObject({ code: 2 });
});

test("the client's snapshot is what the file has", async () => {
  await send(welcome("771204"));
  const inbox = connect({ url: server.http, since: "all" });
  const mail = await inbox.waitFor({ subject: "code" });
  expect(mail.snapshot()).toBe(await Bun.file(join(golden, "grüße-your-code-is-code.mail.txt")).text());
  // @ts-expect-error A misspelt option is also refused in JavaScript.
  expect(() => mail.snapshot({ masks: [] })).toThrow("unknown option 'masks'");
});

test("the report's page shows every mail, what changed, and lets nothing in it run", async () => {
  await send(welcome("771204", "Hello!"));
  await send(BYE);
  const page = join(golden, "..", "mails.html");
  const saved = join(golden, "..", "mail");
  expect(await run("report", "--output", saved, "--html", page, "--against", golden)).toMatchObject({
    code: 0,
  });
  const html = await Bun.file(page).text();
  expect(html).toContain("<title>2 mails: 1 same, 1 changed</title>");
  expect(html).toContain("default-src 'none'; style-src 'unsafe-inline'");
  expect(html).toContain('<h2>Bye &lt;script&gt; <b class="same">same</b></h2>');
  expect(html).toContain("<ins>+Hello! Your verification code is &lt;b&gt;&lt;code&gt;&lt;/b&gt;.</ins>");
  expect(html).toMatch(
    /<iframe sandbox loading="lazy" title="Grüße, your code is 771204" srcdoc="[^"]*&lt;p&gt;Hello!/,
  );
  expect(html).not.toMatch(/srcdoc="[^"]*(?:preconnect|logo\.png)/);
});
