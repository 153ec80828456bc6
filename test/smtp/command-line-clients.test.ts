// Widely used mail clients. Each test is skipped if its client is not installed.
import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createCredentials, createSelfSignedCertificate, parseCredential } from "../../src/smtp/index.ts";
import { tempFolder } from "../support/folders.ts";
import { startTestServer } from "./test-server.ts";

const folder = tempFolder();
afterAll(folder.remove);
const message = join(folder.path, "message.eml");
const MESSAGE = "Subject: Hello\r\n\r\nA line\r\n.starting with a dot\r\n";
writeFileSync(message, MESSAGE);

const tls = createSelfSignedCertificate({ hosts: [], now: new Date() });
const auth = { required: true, verify: createCredentials([parseCredential("alice:secret")]) };

/** The folder of the unpacked postfix package, if it is not installed. */
const POSTFIX = process.env.POSTFIX_DIR ?? "";
const SMTP_SOURCE_FOLDERS = ["/usr/sbin", "/usr/lib/postfix/sbin", join(POSTFIX, "usr/sbin")];

function installed(name: string): string | null {
  return Bun.which(name) ?? Bun.which(name, { PATH: SMTP_SOURCE_FOLDERS.join(":") });
}

async function run(command: string[]): Promise<{ code: number; output: string }> {
  const LD_LIBRARY_PATH = join(POSTFIX, "usr/lib/postfix");
  const child = Bun.spawn(command, {
    env: { ...process.env, LD_LIBRARY_PATH },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, output: output + errors };
}

test.skipIf(!installed("curl"))("curl delivers over STARTTLS with AUTH", async () => {
  await using running = await startTestServer({ tls, tlsRequired: true, auth });
  const url = `smtp://127.0.0.1:${running.server.port}`;
  const { code, output } = await run(
    ["curl", "-sS", "--ssl-reqd", "-k", "--user", "alice:secret", url, "--upload-file", message].concat([
      "--mail-from",
      "a@b.example",
      "--mail-rcpt",
      "c@d.example",
    ]),
  );
  expect({ code, output }).toEqual({ code: 0, output: "" });
  expect(running.mailbox.mails[0]?.raw.toString()).toBe(MESSAGE);
});

test.skipIf(!installed("curl"))("curl delivers over SMTPS", async () => {
  await using running = await startTestServer({ tls, smtpsPort: 0 });
  const url = `smtps://127.0.0.1:${running.server.smtpsPort}`;
  const { code } = await run(
    ["curl", "-sS", "-k", url, "--upload-file", message].concat([
      "--mail-from",
      "a@b.example",
      "--mail-rcpt",
      "c@d.example",
    ]),
  );
  expect(code).toBe(0);
  expect(running.mailbox.mails[0]?.raw.toString()).toBe(MESSAGE);
});

const PYTHON = `
import smtplib, ssl, sys
context = ssl.create_default_context(cadata=sys.argv[3])
message = b"Subject: Hello\\r\\n\\r\\nA line\\r\\n.starting with a dot\\r\\n"
with smtplib.SMTP("127.0.0.1", int(sys.argv[1])) as plain:
    plain.starttls(context=context)
    plain.login("alice", "secret")
    plain.sendmail("a@b.example", ["c@d.example", "e@f.example"], message, ["SIZE=%d" % len(message), "BODY=8BITMIME"])
    plain.sendmail("", ["j\\u00fcrgen@d.example"], message, ["SMTPUTF8"])
with smtplib.SMTP_SSL("127.0.0.1", int(sys.argv[2]), context=context) as secure:
    secure.login("alice", "secret")
    secure.sendmail("a@b.example", ["c@d.example"], message)
    secure.mail("a@b.example")
    print(secure.docmd("RCPT", "TO:not an address")[0])
`;

test.skipIf(!installed("python3"))(
  "Python's smtplib delivers over STARTTLS and SMTPS, verifying the certificate",
  async () => {
    await using running = await startTestServer({ tls, smtpsPort: 0, auth });
    const { port, smtpsPort } = running.server;
    const { code, output } = await run(["python3", "-c", PYTHON, String(port), String(smtpsPort), tls.cert]);
    expect(output).toBe("501\n");
    expect(code).toBe(0);
    const kept = running.mailbox.mails.map(({ sender, recipients, raw }) => [
      sender,
      recipients,
      raw.toString(),
    ]);
    expect(kept).toEqual([
      ["a@b.example", ["c@d.example", "e@f.example"], MESSAGE],
      ["", ["jürgen@d.example"], MESSAGE],
      ["a@b.example", ["c@d.example"], MESSAGE],
    ]);
  },
);

test.skipIf(!installed("swaks")).each(["PLAIN", "LOGIN", "CRAM-MD5"])(
  "swaks delivers with AUTH %s",
  async (method) => {
    await using running = await startTestServer({ auth });
    const { code, output } = await run(
      ["swaks", "--server", "127.0.0.1", "--port", String(running.server.port), "--auth", method].concat([
        "--auth-user",
        "alice",
        "--auth-password",
        "secret",
        "--from",
        "a@b.example",
        "--to",
        "c@d.example",
      ]),
    );
    if (code !== 0 && output.includes("require")) return; // Built without the Perl module for this mechanism.
    expect(output).toContain("Stored as");
    expect(running.mailbox.mails.length).toBe(1);
  },
);

test.skipIf(!installed("swaks"))("swaks delivers pipelined", async () => {
  await using running = await startTestServer();
  const { output } = await run(
    ["swaks", "--server", "127.0.0.1", "--port", String(running.server.port), "--pipeline"].concat([
      "--from",
      "a@b.example",
      "--to",
      "c@d.example,e@f.example",
    ]),
  );
  expect(output).toContain("Stored as");
  expect(running.mailbox.mails[0]?.recipients).toEqual(["c@d.example", "e@f.example"]);
});

test.skipIf(!installed("smtp-source"))("postfix's smtp-source delivers over many connections", async () => {
  await using running = await startTestServer();
  const { code } = await run(
    [installed("smtp-source") ?? "", "-d", "-s", "10", "-m", "200", "-l", "2048", "-f", "a@b.example"].concat(
      ["-t", "c@d.example", `127.0.0.1:${running.server.port}`],
    ),
  );
  expect(code).toBe(0);
  await running.mailbox.received(200);
  expect(Math.min(...running.mailbox.mails.map(({ raw }) => raw.length))).toBeGreaterThan(2048);
});

test.skipIf(!installed("openssl"))("openssl s_client speaks STARTTLS", async () => {
  await using running = await startTestServer({ tls });
  const child = Bun.spawn(
    [
      "openssl",
      "s_client",
      "-starttls",
      "smtp",
      "-crlf",
      "-quiet",
      "-connect",
      `127.0.0.1:${running.server.port}`,
    ],
    {
      stdin: Buffer.from("EHLO x\nMAIL FROM:<a@b.example>\nRCPT TO:<c@d.example>\nDATA\nhi\n.\nQUIT\n"),
      stdout: "pipe",
      stderr: "ignore",
    },
  );
  const output = await new Response(child.stdout).text();
  expect(output).toContain("221 2.0.0 Bye");
  expect(running.mailbox.mails[0]?.raw.toString()).toBe("hi\r\n");
});
