// Credentials never appear in log lines, errors or answers of the API, and the text of a mail never in log lines. Other
// users of the machine cannot read the mail.
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CLOSED_ADDRESS, CLOSED_PORT } from "../../support/closed-port.ts";
import { useFolders } from "../../support/folders.ts";
import { startMailkeep } from "../../support/mailkeep.ts";
import { runCommand } from "../../support/run-command.ts";
import { deliver, openSmtp } from "../../support/smtp-client.ts";
import { until } from "../../support/until.ts";

const freshFolder = useFolders();
const SECRET = "geheim-4711";
const base64 = (text: string) => Buffer.from(text).toString("base64");
/** The secret in plain text, and as AUTH LOGIN, AUTH PLAIN and HTTP Basic send it. */
const FORMS = [SECRET, base64(SECRET), base64(`\0user\0${SECRET}`), base64(`user:${SECRET}`)];

function expectNoSecret(text: string): void {
  for (const form of FORMS) expect(text).not.toContain(form);
}

test("credentials appear in no line of the log, no error and no answer; a mail's text is not in the log", async () => {
  const args = ["--log-level=debug", "--smtp-auth-required"];
  const environment = {
    MAILKEEP_SMTP_AUTH: `user:${SECRET}`,
    MAILKEEP_HTTP_AUTH: `user:${SECRET}`,
    MAILKEEP_WEBHOOK: `http://user:${SECRET}@${CLOSED_ADDRESS}/${SECRET}?token=${SECRET}`,
    MAILKEEP_RELAY: `smtp://user:${SECRET}@${CLOSED_ADDRESS}`,
    MAILKEEP_RELAY_ALLOW: "*",
  };
  await using server = await startMailkeep({ dataDir: freshFolder(), args, environment });
  const authorization = `Basic ${base64(`user:${SECRET}`)}`;
  const told: string[] = [];
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization, ...(init.headers as Record<string, string>) };
    const answer = await fetch(`${server.http}${path}`, { ...init, headers });
    told.push(JSON.stringify([...answer.headers]), await answer.text());
    return answer.status;
  };

  const client = await openSmtp(server.smtpPort);
  told.push(await client.reply(), await client.command("EHLO x"));
  told.push(await client.command(`AUTH PLAIN ${base64(`\0user\0${SECRET}x`)}`));
  told.push(await client.command("AUTH LOGIN"), await client.command(base64("user")));
  told.push(await client.command(base64(`${SECRET}x`)));
  told.push(await client.command(`AUTH NONSENSE ${SECRET}`), await client.command(`NONSENSE ${SECRET}`));
  expect(await client.command(`AUTH PLAIN ${base64(`\0user\0${SECRET}`)}`)).toStartWith("235");
  await client.command("MAIL FROM:<a@example.com>");
  await client.command("RCPT TO:<b@example.com>");
  client.write(`BDAT ${SECRET.length + 2} LAST\r\n\r\n${SECRET}`);
  const stored = await client.reply();
  client.end();
  const id = /Stored as (\S+)/.exec(stored)?.[1];

  await server.line((line) => line.includes('"webhook fails"'));
  await server.line((line) => line.includes('"relay fails"'));
  for (const path of ["/api/v1/info", "/api/v1/webhooks", `/api/v1/messages/${id}/relay`, "/metrics"])
    expect(await ask(path)).toBe(200);
  expect(await ask("/api/v1/health")).toBe(200);
  expect(await ask("/api/v1/nothing")).toBe(404);
  expect(await ask("/api/v1/openapi.json")).toBe(200);
  expect(
    await ask("/api/v1/info", { headers: { authorization: `Basic ${base64(`user:${SECRET}x`)}` } }),
  ).toBe(401);
  const release = { host: "127.0.0.1", port: CLOSED_PORT, username: "user", password: SECRET };
  expect(await ask(`/api/v1/messages/${id}/release`, { method: "POST", body: JSON.stringify(release) })).toBe(
    502,
  );
  const wrong = { ...release, port: SECRET };
  expect(await ask(`/api/v1/messages/${id}/release`, { method: "POST", body: JSON.stringify(wrong) })).toBe(
    400,
  );
  await server.stop();
  expectNoSecret(told.join("\n"));
  expectNoSecret(server.lines.join("\n"));
});

describe("a start that fails does not print the secret it failed on", () => {
  const toml = (text: string) => {
    const path = join(freshFolder(), "mailkeep.toml");
    writeFileSync(path, text);
    return ["--config", path];
  };
  const CASES: Record<string, { args: () => string[]; environment?: Record<string, string> }> = {
    "credentials without a user, as a flag": { args: () => ["--http-auth", `:${SECRET}`] },
    "credentials without a colon, as a flag": { args: () => ["--smtp-auth", SECRET] },
    "credentials without a colon, as a variable": {
      args: () => [],
      environment: { MAILKEEP_HTTP_AUTH: SECRET },
    },
    "credentials without a colon, in the file": { args: () => toml(`http-auth = "${SECRET}"\n`) },
    "a user given twice": { args: () => ["--http-auth=user:x", `--http-auth=read=user:${SECRET}`] },
    "HTTP credentials in place of their file": { args: () => ["--http-auth-file", `user:${SECRET}`] },
    "credentials without quotes, in the file": { args: () => toml(`http-auth = ${SECRET}\n`) },
    "a webhook without quotes, in the file": { args: () => toml(`webhook = ${SECRET}\n`) },
    "a list without quotes, in the file": { args: () => toml(`smtp-auth = ["user:x", ${SECRET}]\n`) },
    "credentials given twice, in the file": {
      args: () => toml(`http-auth = "user:x"\nhttp-auth = "user:${SECRET}"\n`),
    },
    "credentials after a colon": { args: () => [`--http-auth:user:${SECRET}`] },
    "credentials glued to their flag": { args: () => [`--http-auth${SECRET}`] },
    "credentials for a flag that is unknown": { args: () => [`--https-auth=user:${SECRET}`] },
    "credentials in place of their file": { args: () => ["--smtp-auth-file", `user:${SECRET}`] },
    "a private key in place of its file": {
      args: () => ["--smtp-tls-cert", import.meta.path, "--smtp-tls-key", `-----BEGIN\n${SECRET}\n-----END`],
    },
    "an origin with credentials, as a flag": {
      args: () => ["--cors-origin", `http://user:${SECRET}@example.com`],
    },
    "an origin with credentials, as a variable that is cut at its comma": {
      args: () => [],
      environment: { MAILKEEP_CORS_ORIGIN: `http://user:${SECRET},x@example.com` },
    },
    "an origin with credentials, in the file": {
      args: () => toml(`cors-origin = ["http://user:${SECRET}@example.com"]\n`),
    },
    "a host name with credentials": { args: () => ["--allowed-host", `http://user:${SECRET}@example.com`] },
    "an address to listen on with credentials": { args: () => ["--bind", `user:${SECRET}@example.com`] },
    "a URL in place of a flag": { args: () => [`http://user:${SECRET}@example.com`] },
    "a webhook that is no URL": { args: () => ["--webhook", `user:${SECRET}@example.com`] },
    "a webhook by another scheme, as a variable": {
      args: () => [],
      environment: { MAILKEEP_WEBHOOK: `ftp://user:${SECRET}@example.com` },
    },
    "a relay that is no URL": { args: () => ["--relay", `user:${SECRET}@example.com:25`] },
    "a secret of a webhook that is none, in the file": {
      args: () => toml(`[[webhook]]\nurl = "https://a.example"\nsecret = "${SECRET}"\n`),
    },
    "a file of credentials that is none": {
      args: () => {
        const path = join(freshFolder(), "htpasswd");
        writeFileSync(path, `${SECRET}\n`);
        return ["--smtp-auth-file", path];
      },
    },
  };

  test.each(Object.entries(CASES))("%s", async (_, { args, environment = {} }) => {
    const start = ["serve", "--ephemeral", "--smtp-port=0", "--http-port=0", ...args()];
    const { code, out, err } = await runCommand(start, { environment });
    expect(code).not.toBe(0);
    expect(err).toStartWith("mailkeep: ");
    expectNoSecret(out + err);
  });
});

describe("a command that fails does not print the secret it failed on", () => {
  test.each<[string, string[], Record<string, string>]>([
    ["the address of a server, by another scheme", ["wait", "--url", `ftp://user:${SECRET}@127.0.0.1`], {}],
    ["the address of a server, as a variable", ["wait"], { MAILKEEP_URL: `user:${SECRET}@127.0.0.1` }],
    ["the address of a server, wrongly encoded", ["wait", "--url", `http://%zz:${SECRET}@127.0.0.1`], {}],
    ["the address of a server, without its flag", ["wait", `http://user:${SECRET}@127.0.0.1`], {}],
    ["the address of a server, without a command", [`http://user:${SECRET}@127.0.0.1`], {}],
    ["an SMTP server, by another scheme", ["import", "--smtp", `ftp://user:${SECRET}@127.0.0.1`, "x"], {}],
    ["an SMTP server, as a variable", ["import", "x"], { MAILKEEP_SMTP: `smtp://user:${SECRET}@h/path` }],
  ])("%s", async (_, args, environment) => {
    const { code, out, err } = await runCommand(args, { environment });
    expect(code).toBe(2);
    expect(err).toStartWith("mailkeep: ");
    expectNoSecret(out + err);
  });
});

describe.skipIf(process.platform === "win32")("the data folder", () => {
  test("and everything in it is for its owner only, with any umask: files 0600, folders 0700", async () => {
    const dataDir = join(freshFolder(), "data");
    const open = ["sh", "-c", 'umask 000; exec "$@"', "sh"];
    {
      await using server = await startMailkeep({ dataDir, through: open });
      await deliver(server.smtpPort, { raw: "Subject: small\r\n\r\nx" });
      await deliver(server.smtpPort, { raw: `Subject: large\r\n\r\n${"x".repeat(600_000)}` });
      await (await fetch(`${server.http}/api/v1/messages?q=large`)).text();
      await until(() => readdirSync(dataDir).includes("reserve"), "all files to be there");
      server.process.kill("SIGKILL");
      await server.process.exited;
    }
    const [segment = ""] = readdirSync(join(dataDir, "log"));
    const log = readFileSync(join(dataDir, "log", segment));
    log.fill(0, log.indexOf("Subject: small"), log.indexOf("Subject: small") + 5);
    writeFileSync(join(dataDir, "log", segment), log);
    await using server = await startMailkeep({ dataDir, through: open });
    await deliver(server.smtpPort, { raw: "Subject: next\r\n\r\nx" });

    const wrong = readdirSync(dataDir, { recursive: true, withFileTypes: true })
      .map((entry) => ({
        path: join(entry.parentPath, entry.name).slice(dataDir.length),
        mode: (statSync(join(entry.parentPath, entry.name)).mode & 0o777).toString(8),
        expected: entry.isDirectory() ? "700" : "600",
      }))
      .filter(({ mode, expected }) => mode !== expected);
    expect(wrong).toEqual([]);
    expect((statSync(dataDir).mode & 0o777).toString(8)).toBe("700");
    expect(readdirSync(dataDir)).toContain("damaged");
  });
});
