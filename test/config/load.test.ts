import { describe, expect, test } from "bun:test";
import { homedir } from "node:os";
import { join } from "node:path";
import { defaultDataDir } from "../../src/cli/command/data-folder.ts";
import {
  checkTogether,
  flagName,
  kinds,
  loadSettings,
  parseFlags,
  SERVE_SETTINGS,
  type ServeSettings,
  type Sources,
  UsageError,
  under,
  variableName,
  variablesOf,
} from "../../src/config/index.ts";

interface Given {
  args?: string[];
  environment?: Record<string, string>;
  toml?: Record<string, unknown>;
}

function load({ args = [], environment = {}, toml }: Given) {
  const withConfig = toml ? ["--config", "mailkeep.toml", ...args] : args;
  return loadSettings(SERVE_SETTINGS, {
    flags: parseFlags(SERVE_SETTINGS, withConfig).given,
    environment,
    otherVariables: ["MAILKEEP_URL"],
    readToml: () => toml ?? {},
  });
}

const valuesOf = (declared: ServeSettings["fault"]) => declared.map(({ value }) => value);

function problemOf(given: Given): string {
  try {
    checkTogether(load(given));
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return "no problem";
}

describe("settings", () => {
  test("have the defaults that are documented", () => {
    const settings = load({});
    expect(settings).toMatchObject({
      smtpPort: 1025,
      httpPort: 8025,
      bind: "127.0.0.1",
      ephemeral: false,
      maxMessageSize: 50 * 1024 ** 2,
      maxRecipients: 1000,
      maxConnections: 1000,
      logFormat: "auto",
    });
    expect(settings.dataDir).toBeUndefined();
  });

  test.each(["\n", "\r\n", "\r"])(
    "do not keep a line end in a password, because nobody could log in (%j)",
    (end) => {
      const users = [{ role: "admin", pair: "user:pass" }] as const;
      expect(load({ environment: { MAILKEEP_HTTP_AUTH: `user:pass${end}` } }).httpAuth).toEqual([...users]);
      expect(load({ args: ["--http-auth", `user:pass${end}`] }).httpAuth).toEqual([...users]);
    },
  );

  test("split a variable with several users, but not a password that has a comma", () => {
    const environment = { MAILKEEP_HTTP_AUTH: "ann:a,b=c,read=bob:x:y, write=eve:z" };
    expect(load({ environment }).httpAuth).toEqual([
      { role: "admin", pair: "ann:a,b=c" },
      { role: "read", pair: "bob:x:y" },
      { role: "write", pair: "eve:z" },
    ]);
  });

  test("split a variable with names of inboxes, but not one with an object", () => {
    const inboxesOf = (text: string) => valuesOf(load({ environment: { MAILKEEP_INBOX: text } }).inbox);
    expect(inboxesOf("blog, news")).toEqual([{ name: "blog" }, { name: "news" }]);
    const shop = { name: "shop", port: 2526, match: { header: "X-Project: a, b, c" } };
    expect(inboxesOf(JSON.stringify(shop))).toEqual([shop]);
  });

  test("a CR at the end of a variable is ignored, even for the data folder", () => {
    const environment = {
      MAILKEEP_DATA_DIR: "/data\r",
      MAILKEEP_SMTP_PORT: "2525\r",
      MAILKEEP_RETENTION_STARRED: "true\r",
      MAILKEEP_ALLOWED_HOST: "a.example.com,b.example.com\r",
      MAILKEEP_RETENTION: "\r",
    };
    expect(load({ environment })).toMatchObject({
      dataDir: "/data",
      smtpPort: 2525,
      retentionStarred: true,
      allowedHost: ["a.example.com", "b.example.com"],
      retention: undefined,
    });
  });

  test("take ~ at the start of a path for the home folder", () => {
    const dataDir = (given: Given) => load(given).dataDir;
    expect(dataDir({ args: ["--data-dir=~/mail"] })).toBe(join(homedir(), "mail"));
    expect(dataDir({ environment: { MAILKEEP_DATA_DIR: "~" } })).toBe(homedir());
    expect(dataDir({ toml: { "data-dir": "~/mail" } })).toBe(join(homedir(), "mail"));
    for (const path of ["./~/mail", "~mail", "mail/~"])
      expect(dataDir({ args: ["--data-dir", path] })).toBe(path);
    const paths: string[] = [];
    const readToml = (path: string) => {
      paths.push(path);
      return {};
    };
    const flags = parseFlags(SERVE_SETTINGS, ["--config=~/mailkeep.toml"]).given;
    loadSettings(SERVE_SETTINGS, { flags, environment: {}, otherVariables: [], readToml });
    expect(paths).toEqual([join(homedir(), "mailkeep.toml")]);
  });

  const memory = { ephemeral: true, dataDir: undefined };
  const folder = { ephemeral: false, dataDir: "x" };
  test.each([
    [{ args: ["--ephemeral"], environment: { MAILKEEP_DATA_DIR: "x" } }, memory],
    [{ args: ["--data-dir", "x"], environment: { MAILKEEP_EPHEMERAL: "1" } }, folder],
    [{ environment: { MAILKEEP_EPHEMERAL: "1" }, toml: { "data-dir": "x" } }, memory],
    [{ environment: { MAILKEEP_DATA_DIR: "x" }, toml: { ephemeral: true } }, folder],
    [{ args: ["--no-ephemeral"], environment: { MAILKEEP_DATA_DIR: "x" } }, folder],
    [{ environment: { MAILKEEP_EPHEMERAL: "no", MAILKEEP_DATA_DIR: "x" } }, folder],
  ] as [Given, { ephemeral: boolean; dataDir: string | undefined }][])(
    "that cannot be combined: the stronger source decides between memory and a folder (%p)",
    (given, expected) => {
      const { ephemeral, dataDir } = load(given);
      expect({ ephemeral, dataDir }).toEqual(expected);
    },
  );

  const FILES = { MAILKEEP_SMTP_TLS_CERT: "c", MAILKEEP_SMTP_TLS_KEY: "k" };
  const files = { smtpTls: "off", smtpTlsCert: "c", smtpTlsKey: "k" };
  test.each([
    [{ args: ["--smtp-tls", "self-signed"], environment: FILES }, { smtpTls: "self-signed" }],
    [{ args: ["--smtp-tls", "off"], environment: FILES }, { smtpTls: "off" }],
    [{ environment: FILES, toml: { "smtp-tls": "self-signed" } }, files],
    [
      {
        args: ["--smtp-tls-cert", "c", "--smtp-tls-key", "k"],
        environment: { MAILKEEP_SMTP_TLS: "self-signed" },
      },
      files,
    ],
  ] as [Given, Record<string, string>][])(
    "that cannot be combined: the stronger source decides between the certificates, too (%p)",
    (given, expected) => {
      const { smtpTls, smtpTlsCert, smtpTlsKey } = load(given);
      const decided: Record<string, unknown> = { smtpTls, smtpTlsCert, smtpTlsKey };
      expect(decided).toEqual({ smtpTlsCert: undefined, smtpTlsKey: undefined, ...expected });
    },
  );

  test("that are host names are kept as browsers send them, even beyond ASCII", () => {
    const { allowedHost } = load({
      args: ["--allowed-host", "*.Ä.example", "--allowed-host", "mail.example"],
    });
    expect(allowedHost).toEqual(["*.xn--4ca.example", "mail.example"]);
  });

  test.each([
    ["/", ""],
    ["mail", "/mail"],
    ["/tools/mail/", "/tools/mail"],
  ])("that are a path of the server begin with a slash and end without one: %p", (given, basePath) => {
    expect(load({ args: ["--base-path", given] }).basePath).toBe(basePath);
  });

  test("add up if they are webhooks or faults: a flag does not replace those of the file", () => {
    const webhook = ["tag=a", "tag=b"].map((filter) => ({ url: "https://a.example/", filter }));
    const given: Given = {
      args: ["--webhook=https://b.example/", '--fault={"name":"flag"}'],
      environment: { MAILKEEP_WEBHOOK: "https://c.example/" },
      toml: { webhook, fault: [{ name: "file" }] },
    };
    expect(problemOf(given)).toBe("no problem");
    const settings = load(given);
    expect(settings.webhook.map(({ url, filter }) => url + filter)).toEqual([
      "https://b.example/",
      "https://c.example/",
      "https://a.example/tag=a",
      "https://a.example/tag=b",
    ]);
    expect(settings.fault).toEqual([
      { value: { name: "flag" }, origin: "--fault" },
      { value: { name: "file" }, origin: "mailkeep.toml: fault" },
    ]);
  });

  test("come from flag over variable over TOML over default", () => {
    const toml = { "smtp-port": 1, "http-port": 1, bind: "::1" };
    const environment = { MAILKEEP_SMTP_PORT: "2", MAILKEEP_HTTP_PORT: "2" };
    const { smtpPort, httpPort, bind, logLevel } = load({ args: ["--smtp-port", "3"], environment, toml });
    expect({ smtpPort, httpPort, bind, logLevel }).toEqual({
      smtpPort: 3,
      httpPort: 2,
      bind: "::1",
      logLevel: "info",
    });
  });

  test.each(Object.keys(SERVE_SETTINGS).filter((name) => name !== "config"))(
    "%s can be given by flag, by variable and by TOML key, with the same result",
    (name) => {
      const samples: Record<string, string> = {
        port: "2525",
        host: "host.test",
        "host:port": "host.test:783",
        path: "some/path",
        "url-path": "/some/path",
        "os|disk": "disk",
        time: "7d",
        n: "77",
        size: "2MiB",
        header: "X-Tags",
        json: '{"name":"a","at":"rcpt"}',
        "off|self-signed": "self-signed",
        "user:password": "me:secret",
        origin: "https://app.example.com",
        issuer: "https://id.example.com/realms/team",
        "claim=value:role": "https://id.example.com/groups=qa:write:inbox-a",
        url: "https://user:secret@example.com/hook?a=b,c",
        "smtp-url": "smtp://me:secret@host.test:587?tls=starttls",
        "postgres-url": "postgres://me:secret@host.test/mail",
        "s3-url": "s3://bucket/mail",
        address: "*@example.com",
        network: "10.0.0.0/8",
        text: "tag=order",
        "whsec_…": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "debug|info|warn|error": "debug",
        "auto|text|json": "json",
        "": "true",
      };
      const table: Record<string, { kind: { placeholder: string } }> = SERVE_SETTINGS;
      const sample = samples[table[name]?.kind.placeholder ?? "?"] ?? "no sample";
      const key = name as keyof typeof SERVE_SETTINGS;
      const loaded = (given: Given) => {
        const value = load(given)[key];
        return name === "inbox" || name === "fault" ? valuesOf(value as ServeSettings["fault"]) : value;
      };
      const byFlag = loaded({ args: [`--${flagName(name)}=${sample}`] });
      expect(byFlag).not.toEqual(load({})[key]);
      expect(loaded({ environment: { [variableName(name)]: sample } })).toEqual(byFlag);
      expect(loaded({ toml: { [flagName(name)]: sample } })).toEqual(byFlag);
    },
  );

  test("that are tables are tables in TOML and JSON elsewhere, several of them in an array", () => {
    const rules = [{ name: "a" }, { name: "b" }];
    expect(valuesOf(load({ toml: { fault: rules } }).fault)).toEqual(rules);
    const environment = { MAILKEEP_FAULT: JSON.stringify(rules) };
    expect(valuesOf(load({ environment }).fault)).toEqual(rules);
    expect(problemOf({ toml: { bind: rules } })).toContain("'bind' is not valid");
    expect(problemOf({ args: ["--fault", "7"] })).toContain("accepted: a JSON object");
  });

  test("given as an empty variable count as not given", () => {
    expect(load({ environment: { MAILKEEP_SMTP_PORT: "" } }).smtpPort).toBe(1025);
  });

  test("that can be repeated collect every value", () => {
    expect(load({ args: ["--smtp-auth", "a:1", "--smtp-auth", "b:2"] }).smtpAuth).toEqual(["a:1", "b:2"]);
    expect(load({ environment: { MAILKEEP_ALLOWED_HOST: "a.example, b.example" } }).allowedHost).toEqual([
      "a.example",
      "b.example",
    ]);
    expect(
      load({ toml: { "cors-origin": ["https://a.example", "https://b.example"] } }).corsOrigin,
    ).toHaveLength(2);
  });

  test("that are webhooks are tables in the file, and several in a variable", () => {
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const filter = { to: "ann@example.com", tag: ["a", "b c"] };
    const url = "https://a.example/hook";
    expect(load({ toml: { webhook: [{ url, secret, filter, format: "slack" }] } }).webhook).toEqual([
      { url, secret, format: "slack", filter: "to=ann%40example.com&tag=a&tag=b+c" },
    ]);
    const environment = { MAILKEEP_WEBHOOK: "https://a.example/?x=1,2, http://b.example/" };
    expect(load({ environment }).webhook.map(({ url }) => url)).toEqual([
      "https://a.example/?x=1,2",
      "http://b.example/",
    ]);
  });

  test.each([
    ["HTTP://App.Example/", "http://app.example"],
    ["http://app.example:80", "http://app.example"],
    ["https://app.example:443", "https://app.example"],
    ["http://[::1]:3000", "http://[::1]:3000"],
  ])("that are origins are kept as browsers send them: %s as %s", (given, named) => {
    expect(load({ args: ["--cors-origin", given] }).corsOrigin).toEqual([named]);
  });

  test("that are switches can be turned off again", () => {
    expect(load({ args: ["--no-ephemeral"], environment: { MAILKEEP_EPHEMERAL: "true" } }).ephemeral).toBe(
      false,
    );
    expect(load({ args: ["--ephemeral=false"] }).ephemeral).toBe(false);
    expect(load({ args: ["--no-release"] }).noRelease).toBe(true);
  });
});

describe("a service that is called mailkeep", () => {
  test.each<[string, Record<string, string>]>([
    [
      "in Kubernetes",
      {
        MAILKEEP_SERVICE_HOST: "10.0.0.1",
        MAILKEEP_SERVICE_PORT: "1025",
        MAILKEEP_SERVICE_PORT_SMTP: "1025",
        MAILKEEP_PORT: "tcp://10.0.0.1:1025",
        MAILKEEP_PORT_1025_TCP: "tcp://10.0.0.1:1025",
        MAILKEEP_PORT_1025_TCP_PROTO: "tcp",
        MAILKEEP_PORT_1025_TCP_PORT: "1025",
        MAILKEEP_PORT_1025_TCP_ADDR: "10.0.0.1",
      },
    ],
    [
      "in Kubernetes, one for each port: a variable has the name of a setting",
      { MAILKEEP_SMTP_SERVICE_HOST: "10.0.0.1", MAILKEEP_SMTP_PORT: "tcp://10.0.0.1:1025" },
    ],
    [
      "and linked by Docker, as GitLab does",
      {
        MAILKEEP_NAME: "/job/mailkeep",
        MAILKEEP_PORT: "tcp://172.17.0.2:1025",
        MAILKEEP_ENV_MAILKEEP_BIND: "0.0.0.0",
      },
    ],
  ])("%s does not keep Mailkeep from starting", (_where, environment) => {
    expect(load({ environment })).toEqual(load({}));
  });

  test("leaves our own variables in force", () => {
    const environment = { MAILKEEP_SERVICE_HOST: "10.0.0.1", MAILKEEP_SMTP_PORT: "2525" };
    expect(load({ environment }).smtpPort).toBe(2525);
  });
});

describe("a setting of one call", () => {
  const table = { to: under("Filters", { flagOnly: true }).optional(kinds.text, "Whole address") };
  const loadFrom = (sources: Partial<Sources>) =>
    loadSettings(table, {
      flags: new Map(),
      environment: {},
      otherVariables: [],
      readToml: () => ({}),
      ...sources,
    });

  test("is given by its flag", () => {
    const flags = parseFlags(table, ["--to", "a@example.com"]).given;
    expect(loadFrom({ flags }).to).toBe("a@example.com");
  });

  test("has no variable", () => {
    expect(variablesOf(table)).toEqual([]);
    expect(() => loadFrom({ environment: { MAILKEEP_TO: "a@example.com" } })).toThrow(
      "unknown variable MAILKEEP_TO",
    );
  });
});

describe("a flag takes and refuses values, and says what it accepts", () => {
  const NUMBER = "a whole number from 0 to 65535";
  const RULE =
    "claim=value:role, such as groups=qa:write or email=*@example.com:read; for one inbox claim=value:read:inbox or claim=value:write:inbox";
  const HOST = "a host name without a port, such as mail.example.com, or *.example.com";
  const PATH =
    "a path such as /mail or /tools/mail, of letters, digits and - . _ ~, not below /api, /assets, /auth, /compat, /docs, /mcp, /messages or /metrics";
  const ORIGIN = "an http or https origin such as https://app.example.com, without *";
  const TARGET = "host, host:port, *.example.com or *";
  const HEADER = "the name of a header, such as X-Tags, without a colon";

  test.each([
    ["--smtp-port", ["0", "65535"], ["abc", "65536"], NUMBER],
    [
      "--bind",
      ["0.0.0.0", "::", "localhost", "fe80::1%eth0", "mail.example.com."],
      ["*", "[::1]", "127.0.0.1:80"],
      "an IP address or a host name",
    ],
    [
      "--allowed-host",
      ["mail.example.com", "*.example.com", "intranet", "[::1]"],
      ["mail.example.com:8443", "*", "https://mail.example.com", "a b", '"mail.example.com"', "'a.b'"],
      HOST,
    ],
    [
      "--release-allow",
      ["relay", "relay:25", "*.example.com", "*", "*:2525", "127.0.0.1:1", "[::1]:25", "::1"],
      ["host:99999", "host:0", "a b", "*.", "host:smtp", "a,b", ".a.test", "a..b", '"a.b"'],
      TARGET,
    ],
    ["--tag-header", ["X-Tags", "x_tags"], ["X Tags", "X-Tags:", "Ä", '"X-Tags"', "'X-Tags'"], HEADER],
    [
      "--base-path",
      ["/", "/mail", "/mail/", "mail", "/tools/mail-1.0_~", "/apis", "/.well-known"],
      [
        "//",
        "/a//b",
        "/a b",
        "/..",
        "/a/../b",
        "/api/v1",
        "docs",
        "/assets",
        "/messages/",
        "https://x/mail",
        "/a?b",
      ],
      PATH,
    ],
    [
      "--cors-origin",
      ["https://app.example.com"],
      ["http://*.example.com", "https://*", "*", "ftp://example.com", "https://a.example/path", "https://"],
      ORIGIN,
    ],
    ["--oidc-allow", [], ["groups=qa:writer", "groups=qa:admin:shop"], RULE],
    ["--smtp-idle-timeout", ["1s"], ["0"], "a span of time above 0, such as 500ms, 10s, 5m, 12h or 7d"],
    ["--max-message-size", ["1"], ["0"], "a size above 0, such as 50MiB, 2GB or 1048576"],
    ["--config", [], [""], "a path"],
  ])("%s", (flag, taken, refused, accepted) => {
    for (const value of taken) expect(problemOf({ args: [flag, value] })).toBe("no problem");
    for (const value of refused)
      expect(problemOf({ args: [flag, value] })).toBe(
        `${flag}: '${value}' is not valid; accepted: ${accepted}`,
      );
  });

  test.each([
    [
      "--webhook",
      ["ftp://example.com", "example.com/hook", "http://", "file:///etc/passwd", "http://%zz:x@example.com"],
    ],
    ["--smtp-auth", ["user:"]],
    // A user with a misspelt role used to become an admin.
    ["--http-auth", ["reed=eve:x"]],
  ])("%s, whose values may hold a password, which is not repeated", (flag, refused) => {
    for (const value of refused)
      expect(problemOf({ args: [flag, value] })).toStartWith(`${flag}: the value is not valid; accepted: `);
  });

  test("messages repeat neither the password in an address nor invisible characters", () => {
    expect(problemOf({ args: ["--cors-origin", "http://user:secret@example.com"] })).toStartWith(
      "--cors-origin: 'http://…@example.com' is not valid",
    );
    expect(problemOf({ args: ["--ephemeral=true\r"] })).toStartWith(
      "--ephemeral: 'true\\u000d' is not valid",
    );
  });
});

describe("a mistake is an error that names the setting and the accepted values", () => {
  const cases: [Given, string][] = [
    [{ args: ["--smtp-prot", "1"] }, "unknown flag --smtp-prot; did you mean --smtp-port?"],
    [{ args: ["--http-authhunter2"] }, "unknown flag --http-auth…; did you mean --http-auth?"],
    [{ args: ["-smtp-port"] }, "unknown flag -smtp-port; did you mean --smtp-port?"],
    [{ args: ["--bind", "127.0.0.1", "--bind=::1"] }, "--bind can be given only once"],
    [{ args: ["--oidc-issuer=https://id.test", "--oidc-client-id=x"] }, "--oidc-issuer needs --oidc-allow"],
    [{ args: ["--oidc-allow=groups=qa:write"] }, "--oidc-allow needs --oidc-issuer"],
    [{ args: ["--ephemeral", "--no-ephemeral"] }, "--ephemeral can be given only once"],
    [
      { environment: { MAILKEEP_SMPT_PORT: "1" } },
      "unknown variable MAILKEEP_SMPT_PORT; did you mean MAILKEEP_SMTP_PORT?",
    ],
    [{ toml: { smtpport: 1 } }, "mailkeep.toml: unknown key 'smtpport'; did you mean 'smtp-port'?"],
    [
      { toml: { max_connections_per_address: 1 } },
      "mailkeep.toml: unknown key 'max_connections_per_address'; did you mean 'max-connections-per-address'?",
    ],
    [
      { environment: { MAILKEEP_MAX_MESSAGE_SIZE: "big" } },
      "MAILKEEP_MAX_MESSAGE_SIZE: 'big' is not valid; accepted: a size above 0, such as 50MiB, 2GB or 1048576",
    ],
    [
      { args: ["--smtp-port=1"], environment: { MAILKEEP_SMTP_PORT: "x" } },
      "MAILKEEP_SMTP_PORT: 'x' is not valid; accepted: a whole number from 0 to 65535",
    ],
    [
      { toml: { "log-level": "loud" } },
      "mailkeep.toml: log-level: 'loud' is not valid; accepted: debug, info, warn, error",
    ],
    [
      { toml: { bind: { a: 1 } } },
      "mailkeep.toml: 'bind' is not valid; accepted: an IP address or a host name",
    ],
    [{ toml: { "data-dir": true } }, "mailkeep.toml: 'data-dir' is not valid; accepted: a path"],
    [
      { toml: { webhook: [{ url: "https://a.example", fliter: "tag=a" }] } },
      "mailkeep.toml: webhook: unknown key 'fliter'; did you mean 'filter'?",
    ],
    [
      { toml: { webhook: [{ url: "https://a.example", format: "teams" }] } },
      "mailkeep.toml: webhook: 'format' is not valid; accepted: event, slack",
    ],
    [
      { args: ["--webhook", "https://a.example", "--webhook", "https://a.example/"] },
      "--webhook: one URL is given twice with the same filter",
    ],
    [
      { environment: { MAILKEEP_CORS_ORIGIN: "http://user:secret" } },
      "MAILKEEP_CORS_ORIGIN: 'http://user:…' is not valid; accepted: an http or https origin such as https://app.example.com, without *",
    ],
    [
      { environment: { MAILKEEP_HTTP_AUTH: "user:two\nlines" } },
      "MAILKEEP_HTTP_AUTH: the value is not valid; accepted: user:password, or with a role read=user:password, write=… or admin=…; user and password must not be empty, and the user must not contain =",
    ],
    // Docker's --env-file keeps quotes. `export $(cat .env)` also keeps the CR of a Windows line.
    ...['"ann:secret"', "'ann:secret,bob:secret'", '"ann:secret"\r'].map((given): [Given, string] => [
      { environment: { MAILKEEP_SMTP_AUTH: given } },
      "MAILKEEP_SMTP_AUTH: remove the quotes: they would become part of the value",
    ]),
    [{ args: ["--bind"] }, "--bind needs a value; accepted: an IP address or a host name"],
    [{ args: ["--data-dir", "--ephemeral"] }, "--data-dir needs a value; accepted: a path"],
    [{ args: ["--data-dir", "--help"] }, "--data-dir needs a value; accepted: a path"],
    [{ args: ["--data-dir", "-h"] }, "--data-dir needs a value; accepted: a path"],
    [{ args: ["--data-dir", "--"] }, "--data-dir needs a value; accepted: a path"],
    [{ args: ["--smtp-tls-cert", "a.pem"] }, "--smtp-tls-cert needs --smtp-tls-key"],
    [{ args: ["--help=yes"] }, "--help takes no value"],
    [
      { args: ["--smtps-port", "465"] },
      "--smtps-port needs a certificate: --smtp-tls-cert with --smtp-tls-key, or --smtp-tls self-signed",
    ],
    [
      { args: ["--ephemeral", "--data-dir", "x"] },
      "--ephemeral and --data-dir cannot be combined: one writes no file, the other names a folder",
    ],
    [
      { environment: { MAILKEEP_EPHEMERAL: "true", MAILKEEP_DATA_DIR: "x" } },
      "MAILKEEP_EPHEMERAL and MAILKEEP_DATA_DIR cannot be combined: one writes no file, the other names a folder",
    ],
    [
      { toml: { ephemeral: true, "data-dir": "x" } },
      "mailkeep.toml: ephemeral and mailkeep.toml: data-dir cannot be combined: one writes no file, the other names a folder",
    ],
    [
      { environment: { MAILKEEP_SMTP_AUTH: "u:p,w" } },
      "MAILKEEP_SMTP_AUTH: the value is not valid; accepted: user:password, neither of them empty; commas in a variable separate several values",
    ],
    [
      { args: ["--smtp-tls", "self-signed", "--smtp-tls-cert", "c", "--smtp-tls-key", "k"] },
      "--smtp-tls-cert and --smtp-tls cannot be combined: the certificate comes from one of them",
    ],
  ];
  test.each(cases)("%j", (given, problem) => {
    expect(problemOf(given)).toBe(problem);
  });

  test("but a variable of another command is not a mistake", () => {
    expect(problemOf({ environment: { MAILKEEP_URL: "http://127.0.0.1:1" } })).toBe("no problem");
  });
});

describe("the data folder is the system's folder for application data", () => {
  test.each([
    ["linux", {}, "/home/me/.local/share/mailkeep"],
    ["linux", { XDG_DATA_HOME: "/data" }, "/data/mailkeep"],
    ["darwin", {}, "/home/me/Library/Application Support/mailkeep"],
    ["win32", { LOCALAPPDATA: "/local" }, "/local/mailkeep"],
  ])("%s %p", (os, environment, folder) => {
    expect(defaultDataDir(os, environment, () => "/home/me")).toBe(folder);
  });
});
