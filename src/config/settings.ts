// Every setting of `mailkeep serve`, once. Flags, variables, TOML keys, the help text,
// docs/settings.md, completions and the man page are all made from this table.
import * as kinds from "./kinds.ts";
import { flagName, under, type Values } from "./setting.ts";
import { UsageError } from "./usage-error.ts";

const MiB = 1024 ** 2;

const addresses = under("Addresses");
const storage = under("Storage");
const mail = under("Mail");
const smtp = under("SMTP");
const faults = under("Faults");
const http = under("HTTP");
const checks = under("Checks");
const logging = under("Logging and configuration");

const OR_SMTP_TLS = { rival: { name: "smtpTls", why: "the certificate comes from one of them" } };

const OR_HTTP_TLS = { rival: { name: "httpTls", why: "the certificate comes from one of them" } };

export const SERVE_SETTINGS = {
  smtpPort: addresses.withDefault(kinds.port, 1025, "Port for SMTP; 0 picks a free one"),
  httpPort: addresses.withDefault(
    kinds.port,
    8025,
    "Port for the web page, REST and WebSocket; 0 picks a free one",
  ),
  mailpitPort: addresses.optional(kinds.port, "Extra port that serves Mailpit's API at its root"),
  mailhogPort: addresses.optional(kinds.port, "Extra port that serves MailHog's API at its root"),
  bind: addresses.withDefault(
    kinds.host,
    "127.0.0.1",
    "Address that all ports listen on; 0.0.0.0 for all IPv4 addresses",
  ),

  dataDir: storage.optional(kinds.path, "Folder in which mail is stored", {
    shownDefault: "the system's folder for application data",
  }),
  ephemeral: storage.toggle("Keep everything in memory and write no file", {
    rival: { name: "dataDir", why: "one writes no file, the other names a folder" },
  }),
  store: storage.optional(
    kinds.postgresUrl,
    "Keep the mail in PostgreSQL, where several nodes share it; the folder keeps this node's indexes",
    { rival: { name: "ephemeral", why: "one keeps the mail in memory, the other in PostgreSQL" } },
  ),
  bodies: storage.optional(
    kinds.s3Url,
    "With --store: S3-compatible bucket for mail above 1 MiB; keys and endpoint come from S3_… or AWS_… variables",
  ),
  staleReads: storage.toggle(
    "With --store: while PostgreSQL is unreachable, answer from this node's indexes",
  ),
  durability: storage.withDefault(
    kinds.oneOf("os", "disk"),
    "os",
    "What a stored mail survives: a kill of the process (os), or also a power cut (disk)",
  ),
  acceptLoss: storage.toggle("Start even if a file of the log is missing, without the mail in it"),
  retention: storage.optional(kinds.someTime, "Delete mail older than this"),
  maxMessages: storage.optional(kinds.integer(1), "Keep at most this many mails; the oldest go first"),
  maxDisk: storage.optional(kinds.size, "Keep at most this much mail; the oldest go first"),
  retentionStarred: storage.toggle("Let --retention, --max-messages and --max-disk delete starred mail too"),

  maxMessageSize: mail.withDefault(kinds.size, 50 * MiB, "Largest mail that is accepted"),
  maxRecipients: mail.withDefault(kinds.integer(1), 1000, "Maximum number of recipients per mail"),
  tagPlusAddresses: mail.toggle("Tag mail to user+word@… with the tag word"),
  tagHeader: mail.optional(
    kinds.headerName,
    "Tag a mail with the comma-separated words of this header, for example X-Tags",
  ),
  inbox: mail.list(
    kinds.inbox,
    'An inbox: its name, or more in JSON such as {"name": "shop", "port": 2525, "match": {"recipient": "*@shop.test"}}',
  ),
  webhook: mail.list(kinds.webhook, "POST the event of every new mail to this http or https URL"),
  webhookSecret: mail.optional(
    kinds.webhookSecret,
    "Secret that signs webhooks, whsec_… (Standard Webhooks)",
  ),
  relay: mail.optional(
    kinds.smtpUrl,
    "SMTP server for releases that name no server, and for new mail that --relay-allow forwards: smtp://user:password@host:587",
    { rival: { name: "noRelease", why: "one forwards mail, the other never does" } },
  ),
  relayAllow: mail.list(
    kinds.addressPattern,
    "Forward new mail to these recipients: ann@example.com, *@example.com or * for all",
  ),
  relayDeny: mail.list(kinds.addressPattern, "Never forward or release mail to these recipients"),
  relayFilter: mail.optional(
    kinds.text,
    "Forward only new mail that matches this filter, written as an API query: tag=order&q=invoice",
  ),

  smtpTls: smtp.withDefault(
    kinds.oneOf("off", "self-signed"),
    "off",
    "self-signed makes a certificate at start and offers STARTTLS",
  ),
  smtpTlsCert: smtp.optional(kinds.path, "PEM certificate (chain) for STARTTLS and SMTPS", OR_SMTP_TLS),
  smtpTlsKey: smtp.optional(kinds.path, "PEM private key of that certificate", OR_SMTP_TLS),
  smtpTlsRequired: smtp.toggle("Refuse mail before STARTTLS (530)"),
  smtpsPort: smtp.optional(kinds.port, "Extra port with TLS from the first byte"),
  smtpAuth: smtp.list(kinds.credentials, "Accept only these SMTP credentials instead of any"),
  smtpAuthFile: smtp.optional(
    kinds.path,
    "Accept only the credentials of this htpasswd file (bcrypt or plain)",
  ),
  smtpAuthRequired: smtp.toggle("Refuse mail without SMTP AUTH (530)"),
  maxConnections: smtp.withDefault(kinds.integer(1), 1000, "Maximum number of simultaneous SMTP connections"),
  maxConnectionsPerAddress: smtp.optional(
    kinds.integer(1),
    "Maximum number of SMTP connections from one address",
    {
      shownDefault: "half of --max-connections",
    },
  ),
  maxCommandLength: smtp.withDefault(kinds.integer(64), 4096, "Longest SMTP command line, in bytes"),
  maxFruitlessCommands: smtp.withDefault(
    kinds.integer(1),
    500,
    "Disconnect a client after this many SMTP commands that deliver no mail",
  ),
  smtpIdleTimeout: smtp.withDefault(
    kinds.someTime,
    300_000,
    "Close an SMTP connection that is silent for this long",
  ),
  smtpMessageTimeout: smtp.withDefault(
    kinds.someTime,
    600_000,
    "Longest time for one mail, from DATA to its end",
  ),

  fault: faults.list(
    kinds.json,
    'A rule by which mail fails on purpose, such as {"name": "busy", "at": "rcpt", "reply": {"code": 450}}',
  ),
  faultAddresses: faults.toggle(
    "Refuse mail to fault+450-4.2.2@… with that code; accept mail to bounce+5.1.1@… and bounce it to its sender",
  ),

  httpTls: http.withDefault(
    kinds.oneOf("off", "self-signed"),
    "off",
    "self-signed makes a certificate at start and serves HTTPS",
  ),
  httpTlsCert: http.optional(
    kinds.path,
    "PEM certificate (chain) for HTTPS; a renewed file is read again",
    OR_HTTP_TLS,
  ),
  httpTlsKey: http.optional(kinds.path, "PEM private key of that certificate", OR_HTTP_TLS),
  trustedProxy: http.list(
    kinds.network,
    "Trust X-Forwarded-For, -Host and -Proto from proxies at this address or network: 127.0.0.1, 10.0.0.0/8",
  ),
  httpAuth: http.list(
    kinds.httpUser,
    "Require these credentials (Basic) on everything but /api/v1/health; begin with read= or write= to limit the user",
  ),
  httpAuthFile: http.optional(
    kinds.path,
    "Require the credentials of this htpasswd file (bcrypt or plain); a changed file is read again",
  ),
  oidcIssuer: http.optional(kinds.issuer, "Let people sign in to the page at this OpenID Connect provider"),
  oidcClientId: http.optional(kinds.text, "The client's id at that provider"),
  oidcClientSecret: http.optional(kinds.secretText, "The client's secret; a public client has none"),
  oidcScope: http.withDefault(kinds.text, "openid profile email", "Scopes to request from that provider"),
  oidcAllow: http.list(
    kinds.claimRule,
    "Who may sign in, with which role: groups=qa:write, email=*@example.com:read, groups=a:write:inbox-a",
  ),
  allowedHost: http.list(
    kinds.hostPattern,
    "Another host name under which browsers may reach Mailkeep, or *.example.com",
  ),
  basePath: http.withDefault(kinds.sitePath, "", "Path under which a proxy serves Mailkeep, such as /mail"),
  corsOrigin: http.list(kinds.origin, "A web origin whose pages may use the API"),
  maxWebsockets: http.withDefault(kinds.integer(0), 1000, "Maximum number of WebSocket clients"),
  releaseAllow: http.list(
    kinds.targetPattern,
    "Forward mail only to these servers: host, host:port or *.example.com",
  ),
  noRelease: http.toggle("Never forward mail (403)"),
  noMcp: http.toggle("Do not serve agents the Model Context Protocol at /mcp"),

  checkDns: checks.toggle("Verify DKIM, SPF, DMARC, ARC and BIMI with real DNS when a mail is checked", {
    rival: { name: "dnsRecords", why: "DNS comes from one of them" },
  }),
  dnsRecords: checks.optional(
    kinds.path,
    "Verify DKIM, SPF, DMARC, ARC and BIMI with the records of this zone or JSON file",
  ),
  checkLinksAllow: checks.list(
    kinds.targetPattern,
    "Hosts whose links may be fetched although their address is private: host, host:port or *.example.com",
  ),
  spamassassin: checks.optional(kinds.hostAndPort, "Score mail with the SpamAssassin (spamd) at host:port"),
  rspamd: checks.optional(
    kinds.webUrl,
    "Score mail with the Rspamd at this URL, such as http://127.0.0.1:11333",
  ),

  logLevel: logging.withDefault(
    kinds.oneOf("debug", "info", "warn", "error"),
    "info",
    "Lowest level that is logged",
  ),
  logFormat: logging.withDefault(
    kinds.oneOf("auto", "text", "json"),
    "auto",
    "auto is text on a terminal and JSON lines otherwise",
  ),
  mailpitEnv: logging.toggle("Read Mailpit's MP_… variables as the equivalent settings"),
  config: logging.optional(kinds.path, "TOML file with settings, keys named like the flags"),
};

export type ServeSettings = Values<typeof SERVE_SETTINGS>;

const CERTIFICATES = "--smtp-tls-cert with --smtp-tls-key, or --smtp-tls self-signed";

/** Settings that only make sense with each other. `certificates` are the flags by which the command is given one. */
export function checkTogether(settings: ServeSettings, certificates = CERTIFICATES): void {
  refuseSharedPorts(settings);
  const webhooks = settings.webhook.map(({ url, filter }) => `${url} ${filter}`);
  if (new Set(webhooks).size < webhooks.length) {
    throw new UsageError("--webhook: one URL is given twice with the same filter");
  }
  refuseRulesAlone(settings);
  refuseHalfOidc(settings);
  if (settings.store === undefined && (settings.bodies !== undefined || settings.staleReads))
    throw new UsageError(`${settings.staleReads ? "--stale-reads" : "--bodies"} needs --store`);
  refuseHalfPair("smtp", settings);
  refuseHalfPair("http", settings);
  const { smtpTlsCert, smtpTls, smtpsPort, smtpTlsRequired } = settings;
  const needsTls = smtpsPort !== undefined ? "--smtps-port" : smtpTlsRequired ? "--smtp-tls-required" : null;
  if (needsTls && smtpTlsCert === undefined && smtpTls === "off") {
    throw new UsageError(`${needsTls} needs a certificate: ${certificates}`);
  }
}

function refuseHalfPair(protocol: "smtp" | "http", settings: ServeSettings): void {
  const [cert, key] = [settings[`${protocol}TlsCert`], settings[`${protocol}TlsKey`]];
  if (cert !== undefined && key === undefined)
    throw new UsageError(`--${protocol}-tls-cert needs --${protocol}-tls-key`);
  if (key !== undefined && cert === undefined)
    throw new UsageError(`--${protocol}-tls-key needs --${protocol}-tls-cert`);
}

function refuseHalfOidc({ oidcIssuer, oidcClientId, oidcClientSecret, oidcAllow }: ServeSettings): void {
  const needed = { "--oidc-client-id": oidcClientId, "--oidc-allow": oidcAllow[0] };
  const [missing] = Object.entries(needed).flatMap(([flag, given]) => (given === undefined ? [flag] : []));
  const isAlone = oidcClientId ?? oidcClientSecret ?? oidcAllow[0];
  if (oidcIssuer !== undefined && missing) throw new UsageError(`--oidc-issuer needs ${missing}`);
  if (oidcIssuer === undefined && isAlone) throw new UsageError("--oidc-… settings need --oidc-issuer");
}

function refuseRulesAlone({ relay, relayAllow, relayDeny, relayFilter }: ServeSettings): void {
  const isGiven = {
    "--relay-allow": relayAllow.length,
    "--relay-deny": relayDeny.length,
    "--relay-filter": relayFilter,
  };
  const [alone] = Object.entries(isGiven).flatMap(([flag, given]) => (given ? [flag] : []));
  if (relay === undefined && alone) throw new UsageError(`${alone} needs --relay`);
  if (relayFilter !== undefined && relayAllow.length === 0)
    throw new UsageError("--relay-filter needs --relay-allow; use --relay-allow '*' for all recipients");
}

/** The system's error would not say that we use the port twice. */
function refuseSharedPorts(settings: ServeSettings): void {
  const { smtpPort, smtpsPort, httpPort, mailpitPort, mailhogPort } = settings;
  const given = { smtpPort, smtpsPort, httpPort, mailpitPort, mailhogPort };
  const ports = Object.entries(given).filter(([, port]) => port);
  for (const [index, [name, port]] of ports.entries()) {
    const other = ports.slice(index + 1).find(([, taken]) => taken === port)?.[0];
    if (other === undefined) continue;
    throw new UsageError(
      `--${flagName(name)} and --${flagName(other)} are both ${port}: each needs its own port`,
    );
  }
}
