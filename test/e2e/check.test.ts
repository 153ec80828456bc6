// `mailkeep check` for files and for a running server, and the client's `mail.checks()`.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { dirname, join } from "node:path";
import { Parser } from "htmlparser2";
import { connect } from "../../src/client/index.ts";
import { createSelfSignedCertificate } from "../../src/smtp/index.ts";
import { useFolders } from "../support/folders.ts";
import { type Running, runMailkeep, startMailkeep } from "../support/mailkeep.ts";
import { deliver } from "../support/smtp-client.ts";

const HEAD = [
  "From: Shop <shop@example.com>",
  "To: ann@example.com",
  "Date: Tue, 17 Nov 2026 10:00:00 +0000",
  "Message-ID: <1@example.com>",
];
const GOOD = [...HEAD, "Subject: Good", "", "Thank you for your order.", ""].join("\r\n");
const BAD = [
  ...HEAD,
  "Subject: Bad {{name}}",
  "Content-Type: text/html",
  "",
  '<p lang="en">Hi <a href="/x">shop</a> "50% <off>,"',
  "",
].join("\r\n");

const freshFolder = useFolders();
let server: Running;
let good: string;
let bad: string;
beforeAll(async () => {
  server = await startMailkeep();
  for (const raw of [GOOD, BAD])
    await deliver(server.smtpPort, { from: "shop@example.com", to: ["ann@example.com"], raw });
});
afterAll(() => server.stop());
beforeEach(async () => {
  const folder = freshFolder();
  [good, bad] = [join(folder, "good.eml"), join(folder, "bad,1.eml")];
  await Promise.all([Bun.write(good, GOOD), Bun.write(bad, BAD)]);
});

const check = (...args: string[]) =>
  runMailkeep(["check", ...args], { environment: { MAILKEEP_URL: server.http } });

/** Returns names and attributes of all elements, in order. Throws if an element is not closed. */
function readXml(xml: string) {
  const elements: { name: string; attributes: Record<string, string> }[] = [];
  const open: string[] = [];
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        open.push(name);
        elements.push({ name, attributes });
      },
      onclosetag: (name, isImplied) => {
        if (open.pop() !== name || (isImplied && name !== "skipped"))
          throw new Error(`${name} is not closed`);
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return elements;
}

describe("files", () => {
  test("a good mail ends with 0", async () => {
    const { code, out, err } = await check(good);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toStartWith(`✓ ${good}\n`);
    expect(out).toContain("✓ content        Nothing to complain about; score 100\n");
    expect(out).toContain("– auth           Off: no DNS is configured.");
  });

  test("a bad one ends with 1 and says what, where and what to do", async () => {
    const { code, out } = await check(good, bad, "--only", "content,links");
    expect(code).toBe(1);
    expect(out).toContain(
      "      error link-relative, HTML 1:17: A link is relative: “/x”.\n        Write the whole address",
    );
    expect(out).toContain("      error placeholder, Subject: A placeholder was left: “{{name}}”.\n");
  });

  test("a check with notes says where they are listed", async () => {
    await Bun.write(good, GOOD.replace("Subject: Good", `Subject: ${"Good ".repeat(20)}`));
    const { out } = await check(good, "--only", "content");
    expect(out).toBe(`✓ ${good}\n  ✓ content        1 note; score 100; notes: --format json\n`);
  });

  test("files of a folder that are not mail are skipped", async () => {
    const folder = dirname(good);
    await Bun.write(join(folder, "photo.jpg"), "\xff\xd8\xff\xe0");
    const { out, err } = await check(folder, "--only", "content");
    expect(out).toContain("good.eml");
    expect(err).toContain(`mailkeep: ${join(folder, "photo.jpg")} is skipped`);
    expect((await check(good, join(folder, "photo.jpg"))).code).toBe(1);
  });

  test("warnings fail only when asked for, and nothing fails with never", async () => {
    await Bun.write(good, GOOD.replace(/^Message-ID.*\r\n/m, ""));
    const code = async (file: string, failOn: string) =>
      (await check(file, "--only=content", `--fail-on=${failOn}`)).code;
    expect([await code(good, "error"), await code(good, "warning"), await code(bad, "never")]).toEqual([
      0, 1, 0,
    ]);
  });

  test("records from a file make authentication verifiable", async () => {
    const zone = join(freshFolder(), "zone.txt");
    await Bun.write(zone, '_dmarc.example.com. TXT "v=DMARC1; p=reject"\n');
    const { out } = await check(good, "--only", "auth", "--dns-records", zone, "--format", "json");
    const [mail] = JSON.parse(out).mails;
    expect(mail.checks[0].findings.map(({ rule }: { rule: string }) => rule)).toEqual([
      "dkim-missing",
      "spf-missing",
      "dmarc-fail",
    ]);
  });

  test("the sender of a file without Return-Path is its author", async () => {
    const received =
      "Received: from mx.example.com (mx.example.com [8.8.4.4]) by mx; Tue, 17 Nov 2026 10:00:00 +0000";
    await Bun.write(good, `${received}\r\n${GOOD}`);
    const zone = `${good}.zone`;
    await Bun.write(zone, '$ORIGIN example.com.\n@ IN TXT "v=spf1 ip4:8.8.4.4 -all"\n');
    expect((await check(good, "--only=auth", `--dns-records=${zone}`)).out).toContain("SPF pass");
  });

  test("JUnit has a suite for each mail and a case for each check", async () => {
    const { code, out } = await check(good, bad, "--format", "junit");
    expect(code).toBe(1);
    const elements = readXml(out);
    expect(elements[0]).toMatchObject({ name: "testsuites", attributes: { tests: "12", failures: "2" } });
    expect(
      elements.filter(({ name }) => name === "testsuite").map(({ attributes }) => attributes.name),
    ).toEqual([good, bad]);
    expect(elements.filter(({ name }) => name === "testcase")).toHaveLength(12);
    expect(
      elements.filter(({ name }) => name === "failure").map(({ attributes }) => attributes.message),
    ).toEqual(["1 link or image: 1 error", expect.stringMatching(/^1 error, 1 warning/)]);
  });

  test("GitHub gets a command for each error and warning, escaped", async () => {
    const { out } = await check(bad, "--only", "links", "--format", "github");
    expect(out).toStartWith(
      `::error file=${bad.replace(",", "%2C")},title=links%3A link-relative::${bad}, HTML 1:17: A link`,
    );
  });
});

describe("links that are fetched over https", () => {
  const tls = createSelfSignedCertificate({ hosts: [], now: new Date() });
  const asked: string[] = [];
  const site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    tls,
    fetch: ({ method, url }): Response => {
      const { pathname, port } = new URL(url);
      asked.push(`${method} ${pathname}`);
      return pathname === "/inside"
        ? Response.redirect(`https://127.0.0.1:${port}/secret`)
        : new Response(null, { status: pathname === "/gone" ? 410 : 200 });
    },
  });
  afterAll(() => site.stop(true));
  beforeEach(() => asked.splice(0));
  const ALLOWED = ["--check-links-allow", `localhost:${site.port}`];

  /** With `isTrusted` the certificate of the site is trusted like a public one. */
  async function fetched(path: string, args: readonly string[], isTrusted = true): Promise<string> {
    const folder = freshFolder();
    const [mail, certificate] = [join(folder, "mail.eml"), join(folder, "site.pem")];
    await Bun.write(certificate, tls.cert);
    await Bun.write(mail, `${HEAD.join("\r\n")}\r\n\r\nhttps://localhost:${site.port}${path}\r\n`);
    const { out } = await runMailkeep(
      ["check", mail, "--only=links", "--links=fetch", "--format=json", ...args],
      { environment: isTrusted ? { NODE_EXTRA_CA_CERTS: certificate } : {} },
    );
    const findings: Record<string, string>[] = JSON.parse(out).mails[0].checks[0].findings;
    const fetchFindings = findings.filter(({ rule }) => rule !== "link-local");
    return fetchFindings.map(({ rule, message }) => `${rule}: ${message}`).join("\n");
  }

  test("a link that answers, and one that is gone", async () => {
    expect(await fetched("/ok", ALLOWED)).toBe("");
    expect(await fetched("/gone", ALLOWED)).toMatch(/^link-broken: .* answers with 410\.$/);
    expect(asked).toEqual(["HEAD /ok", "HEAD /gone", "GET /gone"]);
  });

  test("a link to a server whose certificate nobody trusts", async () => {
    expect(await fetched("/ok", ALLOWED, false)).toMatch(/^link-broken: .* cannot be reached: .*self.signed/);
    expect(asked).toEqual([]);
  });

  test("a link to a private address that is not allowed is never fetched, even by name or redirect", async () => {
    expect(await fetched("/ok", [])).toMatch(/^link-not-fetched: .*localhost is not public\.$/);
    expect(asked).toEqual([]);
    expect(await fetched("/inside", ALLOWED)).toMatch(/^link-not-fetched: .*127\.0\.0\.1 is not public\.$/);
    expect(asked).toEqual(["HEAD /inside"]);
  });
});

describe("a running server", () => {
  test("has all its mails checked, oldest first, or the newest, or those that match", async () => {
    const names = async (...args: string[]) =>
      JSON.parse((await check("--format=json", ...args)).out).mails.map(
        ({ name }: { name: string }) => name.split(" from ")[0],
      );
    expect(await names()).toEqual(['"Good"', '"Bad {{name}}"']);
    expect(await names("--latest")).toEqual(['"Bad {{name}}"']);
    expect(await names("--subject", "good")).toEqual(['"Good"']);
  });

  test("ends the command with 1 if a check of a mail fails", async () => {
    expect((await check("--subject", "good")).code).toBe(0);
    expect((await check("--latest")).code).toBe(1);
  });

  test("no mail to check is a failure", async () => {
    expect(await check("--to", "nobody@example.com")).toEqual({
      code: 1,
      out: "",
      err: "mailkeep: there is no mail to nobody@example.com\n",
    });
  });

  test("the client's mail.checks() takes options and records", async () => {
    const mail = await connect({ url: server.http, since: "all" }).latest();
    const [links, content] = (await mail?.checks({ only: ["content", "links"] })) ?? [];
    expect([links?.name, content?.name]).toEqual(["links", "content"]);
    const [auth] = (await mail?.checks({ only: ["auth"], dns: {} })) ?? [];
    expect(auth).toMatchObject({ status: "warn", findings: [{ rule: "dkim-missing" }, {}, {}] });
    // @ts-expect-error A string is not a list. In JavaScript the error was once "join is not a function".
    await expect(mail?.checks({ only: "x" })).rejects.toThrow("must be some of html, links, auth, content");
  });
});

describe("wrong usage ends with 2", () => {
  test.each([
    [["--only", "htm"], /^mailkeep: --only: 'htm' is not valid; accepted: some of html, links/],
    [["--clients", "outlok"], /^mailkeep: --clients: 'outlok' is not valid; accepted: mail clients/],
    [["x.eml", "--latest"], /^mailkeep: --latest works only with a running server/],
    [["--latest", "--rspamd=http://x"], /^mailkeep: --rspamd works only with files: a running server/],
    [["x.eml", "--to", "ann@example.com"], /^mailkeep: use either filters/],
    [
      ["x.eml", "--dns-records", "/nowhere"],
      /^mailkeep: cannot read the DNS records \/nowhere: there is no such file or folder\n$/,
    ],
  ])("%p", async (args, message) => {
    const { code, err } = await check(...args);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(message) });
  });

  test("a zip without a mail ends with 1", async () => {
    const zip = join(freshFolder(), "none.zip");
    await Bun.write(zip, `PK\x05\x06${"\0".repeat(18)}`);
    expect(await check(zip)).toEqual({ code: 1, out: "", err: `mailkeep: there is no mail in ${zip}\n` });
  });

  test("a file that is not there ends with 2", async () => {
    const { code, err } = await check("/nowhere.eml");
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining("/nowhere.eml") });
  });
});
