// With --mailpit-env Mailpit's variables become the equivalent settings.
import { describe, expect, test } from "bun:test";
import {
  checkTogether,
  fromMailpit,
  loadSettings,
  parseFlags,
  SERVE_SETTINGS,
} from "../../src/config/index.ts";

function load(environment: Record<string, string>, args: string[] = ["--mailpit-env"]) {
  const settings = loadSettings(SERVE_SETTINGS, {
    flags: parseFlags(SERVE_SETTINGS, args).given,
    environment,
    otherVariables: [],
    readToml: () => ({}),
  });
  checkTogether(settings);
  return settings;
}

const CASES: readonly (readonly [Record<string, string>, object])[] = [
  [{ MP_SMTP_BIND_ADDR: "0.0.0.0:2525" }, { bind: "0.0.0.0", smtpPort: 2525 }],
  [{ MP_SMTP_BIND_ADDR: "[::1]:2525" }, { bind: "::1", smtpPort: 2525 }],
  [{ MP_UI_BIND_ADDR: ":8026" }, { bind: "0.0.0.0", mailpitPort: 8026, httpPort: 8025 }],
  [{ MP_DATABASE: "/data/mailpit.db" }, { dataDir: "/data/mailkeep" }],
  [{ MP_MAX_MESSAGES: "500" }, { maxMessages: 500 }],
  [{ MP_MAX_MESSAGES: "0" }, { maxMessages: undefined }],
  [{ MP_MAX_AGE: "3d" }, { retention: 3 * 86_400_000 }],
  [{ MP_MAX_MESSAGE_SIZE: "10" }, { maxMessageSize: 10 * 1024 ** 2 }],
  [{ MP_WEBROOT: "mail" }, { basePath: "/mail" }],
  [{ MP_UI_AUTH: "ann:a bob:b" }, { httpAuth: [{ pair: "ann:a" }, { pair: "bob:b" }] }],
  [{ MP_SMTP_AUTH: "ann:a" }, { smtpAuth: ["ann:a"], smtpAuthRequired: true }],
  [{ MP_SMTP_AUTH_FILE: "/users" }, { smtpAuthFile: "/users", smtpAuthRequired: true }],
  [{ MP_SMTP_AUTH_ACCEPT_ANY: "true" }, { smtpAuth: [], smtpAuthRequired: false }],
  [
    { MP_SMTP_TLS_CERT: "/c", MP_SMTP_TLS_KEY: "/k" },
    { smtpTlsCert: "/c", smtpTlsKey: "/k" },
  ],
  [{ MP_SMTP_TLS_CERT: "sans:localhost" }, { smtpTlsCert: undefined, smtpTls: "self-signed" }],
  [{ MP_UI_TLS_CERT: "sans:a.example,b.example" }, { httpTls: "self-signed" }],
  [{ MP_SMTP_MAX_RECIPIENTS: "7" }, { maxRecipients: 7 }],
  [{ MP_ENABLE_SPAMASSASSIN: "spamd:783" }, { spamassassin: "spamd:783" }],
  [{ MP_WEBHOOK_URL: "http://hook.example/" }, { webhook: [{ url: "http://hook.example/" }] }],
  [
    { MP_API_CORS: "https://a.example,https://b.example" },
    { corsOrigin: ["https://a.example", "https://b.example"] },
  ],
  [{ MP_API_CORS: "http://a.example, *" }, { corsOrigin: ["http://a.example"] }],
  [
    { MP_SMTP_RELAY_HOST: "smtp.example.com", MP_SMTP_RELAY_PORT: "587", MP_SMTP_RELAY_STARTTLS: "true" },
    { relay: { host: "smtp.example.com", port: 587, tls: "starttls" } },
  ],
  [{ MP_SMTP_RELAY_HOST: "::1" }, { relay: { host: "::1", port: 25 } }],
  [
    {
      MP_SMTP_RELAY_HOST: "m.example",
      MP_SMTP_RELAY_USERNAME: "a@b",
      MP_SMTP_RELAY_PASSWORD: "p:w",
      MP_SMTP_RELAY_ALL: "1",
    },
    { relay: { host: "m.example", username: "a@b", password: "p:w" }, relayAllow: ["*"] },
  ],
  [{ MP_QUIET: "1" }, { logLevel: "error" }],
  [{ MP_VERBOSE: "false" }, { logLevel: "info" }],
  [{}, { tagHeader: "X-Tags", tagPlusAddresses: true }],
  [{ MP_TAGS_DISABLE: "plus-addresses,x-tags" }, { tagHeader: undefined, tagPlusAddresses: false }],
];

test.each(CASES)("%j", (environment, expected) => {
  expect(load(environment)).toMatchObject(expected);
});

describe("Mailpit's variables", () => {
  test("count only if asked for, by flag or variable", () => {
    expect(load({ MP_MAX_MESSAGES: "500" }, []).maxMessages).toBeUndefined();
    expect(load({ MP_MAX_MESSAGES: "500", MAILKEEP_MAILPIT_ENV: "true" }, []).maxMessages).toBe(500);
  });

  test("are weaker than our own flags and variables", () => {
    expect(load({ MP_MAX_MESSAGES: "500", MAILKEEP_MAX_MESSAGES: "7" }).maxMessages).toBe(7);
    expect(load({ MP_MAX_MESSAGES: "500" }, ["--mailpit-env", "--max-messages", "8"]).maxMessages).toBe(8);
  });

  test("are named in the error for a wrong value", () => {
    expect(() => load({ MP_MAX_MESSAGES: "many" })).toThrow("MP_MAX_MESSAGES");
  });

  test.each([
    ["MP_SMTP_BIND_ADDR", "1025"],
    ["MP_UI_BIND_ADDR", "0.0.0.0"],
    ["MP_MAX_MESSAGE_SIZE", "10MB"],
    ["MP_QUIET", "on"],
    ["MP_SMTP_RELAY_PORT", "smtp"],
  ])("%s=%s is not valid, and the message repeats it", (variable, value) => {
    const given = { MP_SMTP_RELAY_HOST: "m.example", [variable]: value };
    expect(() => load(given)).toThrow(`${variable}: '${value}' is not valid; accepted: `);
  });

  test("that name two different addresses to listen on are refused", () => {
    const given = { MP_SMTP_BIND_ADDR: "0.0.0.0:1025", MP_UI_BIND_ADDR: "127.0.0.1:8026" };
    expect(() => load(given)).toThrow(
      "MP_SMTP_BIND_ADDR and MP_UI_BIND_ADDR conflict: Mailkeep has one setting for both, --bind, which cannot be 0.0.0.0 and 127.0.0.1",
    );
  });

  test.each([
    ["MP_SMTP_TLS_CERT", "--smtp-tls-cert needs --smtp-tls-key"],
    ["MP_UI_TLS_KEY", "--http-tls-key needs --http-tls-cert"],
  ])("that give only a certificate or only a key are refused: %s", (variable, problem) => {
    expect(() => load({ [variable]: "/file" })).toThrow(problem);
  });

  test("with a hash in place of a password are refused", () => {
    expect(() => load({ MP_UI_AUTH: "ann:$2y$10$abc" })).toThrow("--http-auth-file");
  });

  test("without an equivalent are named", () => {
    expect(load({ MP_API_CORS: "*, *" }).corsOrigin).toEqual([]);
    for (const origins of ["*", "*,*", "https://a.example,*", "*, http://a.example"])
      expect(fromMailpit({ MP_API_CORS: origins }).without).toEqual(["MP_API_CORS=*"]);
    expect(load({ MP_ENABLE_SPAMASSASSIN: "postmark" }).spamassassin).toBeUndefined();
    for (const given of ["MP_ENABLE_SPAMASSASSIN=postmark", "MP_ENABLE_SPAMASSASSIN=true"]) {
      const [variable = "", value] = given.split("=");
      expect(fromMailpit({ [variable]: value }).without).toEqual([given]);
    }
    expect(fromMailpit({ MP_SMTP_RELAY_AUTH: "plain" }).without).toEqual(["MP_SMTP_RELAY_AUTH"]);
    expect(fromMailpit({ MP_LABEL: "x", MP_POP3_AUTH: "a:b", MP_QUIET: "1", PATH: "/" }).without).toEqual([
      "MP_LABEL",
      "MP_POP3_AUTH",
    ]);
  });
});
