// Every setting of `mailkeep serve`. Flags, variables, TOML keys, help text, docs/settings.md,
// completions and the man page are made from this table.
import * as address from "./addresses.ts";
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

const orElse = (name: string) => ({ rival: { name, why: "the certificate comes from one of them" } });

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
    address.host,
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
    address.postgresUrl,
    "Keep the mail in PostgreSQL, where several nodes share it; the folder keeps this node's indexes",
    { rival: { name: "ephemeral", why: "one keeps the mail in memory, the other in PostgreSQL" } },
  ),
  bodies: storage.optional(
    address.s3Url,
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
  acceptLoss: storage.toggle("Start even if a file of stored mail is missing; the mail in it is lost"),
  retention: storage.optional(kinds.someTime, "Delete mail older than this"),
  maxMessages: storage.optional(kinds.integer(1), "Keep at most this many mails; the oldest go first"),
  maxDisk: storage.optional(kinds.size, "Keep at most this much mail; the oldest go first"),
  retentionStarred: storage.toggle("Let --retention, --max-messages and --max-disk delete starred mail too"),

  maxMessageSize: mail.withDefault(kinds.size, 50 * MiB, "Largest mail that is accepted"),
  maxRecipients: mail.withDefault(kinds.integer(1), 1000, "Maximum number of recipients per mail"),
  tagPlusAddresses: mail.toggle("Tag mail to user+word@… with the word after the plus"),
  tagHeader: mail.optional(
    kinds.headerName,
    "Tag a mail with the comma-separated words of this header, for example X-Tags",
  ),
  inbox: mail.withDefault(
    kinds.inboxes,
    [],
    'An inbox: its name, or more in JSON such as {"name": "shop", "port": 2525, "match": {"recipient": "*@shop.test"}}',
  ),
  webhook: mail.list(address.webhook, "POST the event of every new mail to this http or https URL"),
  webhookSecret: mail.optional(
    address.webhookSecret,
    "Secret that signs webhooks, whsec_… (Standard Webhooks)",
  ),
  relay: mail.optional(
    address.smtpUrl,
    "SMTP server that gets new mail selected by --relay-allow, and released mail if the request names no server: smtp://user:password@host:587",
    { rival: { name: "noRelease", why: "one sends mail on, the other never does" } },
  ),
  relayAllow: mail.list(
    address.addressPattern,
    "Relay new mail to these recipients: ann@example.com, *@example.com or * for all",
  ),
  relayDeny: mail.list(address.addressPattern, "Never relay or release mail to these recipients"),
  relayFilter: mail.optional(
    kinds.text,
    "Relay only new mail that matches this filter, written as an API query: tag=order&q=invoice",
  ),

  smtpTls: smtp.withDefault(
    kinds.oneOf("off", "self-signed"),
    "off",
    "self-signed makes a certificate at start and offers STARTTLS",
  ),
  smtpTlsCert: smtp.optional(
    kinds.path,
    "PEM certificate (chain) for STARTTLS and SMTPS, read at start",
    orElse("smtpTls"),
  ),
  smtpTlsKey: smtp.optional(kinds.path, "PEM private key of that certificate", orElse("smtpTls")),
  smtpTlsRequired: smtp.toggle("Refuse mail before STARTTLS (530)"),
  smtpsPort: smtp.optional(kinds.port, "Extra port with TLS from the first byte"),
  smtpAuth: smtp.list(kinds.credentials, "Accept only these SMTP credentials instead of any"),
  smtpAuthFile: smtp.optional(
    kinds.path,
    "Accept only the credentials of this htpasswd file (bcrypt or plain)",
  ),
  smtpAuthRequired: smtp.toggle("Refuse mail without SMTP AUTH (530)"),
  maxConnections: smtp.withDefault(
    kinds.integer(1),
    1000,
    "Maximum number of simultaneous SMTP connections; a tenth more is reserved for addresses that have none open",
  ),
  maxConnectionsPerAddress: smtp.optional(
    kinds.integer(1),
    "Maximum number of SMTP connections from one address",
    { shownDefault: "as many as --max-connections" },
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

  fault: faults.withDefault(
    kinds.declarations,
    [],
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
    orElse("httpTls"),
  ),
  httpTlsKey: http.optional(kinds.path, "PEM private key of that certificate", orElse("httpTls")),
  trustedProxy: http.list(
    address.network,
    "Trust X-Forwarded-For, -Host and -Proto from proxies at this address or network: 127.0.0.1, 10.0.0.0/8",
  ),
  httpAuth: http.list(
    kinds.httpUser,
    "Require these credentials (Basic) on everything but /api/v1/health; begin with read= or write= to limit the user",
  ),
  httpAuthFile: http.optional(
    kinds.path,
    "Require the credentials of this htpasswd file (bcrypt or plain), read at start",
  ),
  requireAuth: http.toggle(
    "Refuse requests without credentials even if no users are configured; then only tokens are accepted",
  ),
  oidcIssuer: http.optional(address.issuer, "Let people sign in to the page at this OpenID Connect provider"),
  oidcClientId: http.optional(kinds.text, "The client's id at that provider"),
  oidcClientSecret: http.optional(kinds.secretText, "The client's secret; a public client has none"),
  oidcScope: http.withDefault(kinds.text, "openid profile email", "Scopes to request from that provider"),
  oidcAllow: http.list(
    kinds.claimRule,
    "Who may sign in, with which role: groups=qa:write, email=*@example.com:read, groups=a:write:inbox-a",
  ),
  allowedHost: http.list(
    address.hostPattern,
    "Another host name under which browsers may reach Mailkeep, or *.example.com",
  ),
  basePath: http.withDefault(
    address.sitePath,
    "",
    "Path under which a proxy serves Mailkeep, such as /mail or mail",
  ),
  corsOrigin: http.list(address.origin, "A web origin whose pages may use the API"),
  maxWebsockets: http.withDefault(kinds.integer(0), 1000, "Maximum number of WebSocket clients"),
  releaseAllow: http.list(
    address.targetPattern,
    "Release mail (send it on by hand) only to these servers: host, host:port or *.example.com",
  ),
  noRelease: http.toggle("Refuse to release mail (403)"),
  noMcp: http.toggle("Do not offer the Model Context Protocol for agents at /mcp"),

  checkDns: checks.toggle("Verify DKIM, SPF, DMARC, ARC and BIMI with real DNS when a mail is checked", {
    rival: { name: "dnsRecords", why: "DNS comes from one of them" },
  }),
  dnsRecords: checks.optional(
    kinds.path,
    "Verify DKIM, SPF, DMARC, ARC and BIMI with the records of this zone or JSON file",
  ),
  checkLinksAllow: checks.list(
    address.targetPattern,
    "Hosts whose links may be fetched although their address is private: host, host:port or *.example.com",
  ),
  spamassassin: checks.optional(address.hostAndPort, "Score mail with the SpamAssassin (spamd) at host:port"),
  rspamd: checks.optional(
    { ...address.webUrl, accepts: "an http or https URL such as http://127.0.0.1:11333" },
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

/** Pairs of settings. The first is an error without the second. */
const NEEDS: readonly (readonly [name: keyof ServeSettings, needed: keyof ServeSettings])[] = [
  ["bodies", "store"],
  ["staleReads", "store"],
  ["relayAllow", "relay"],
  ["relayFilter", "relay"],
  ["oidcIssuer", "oidcClientId"],
  ["oidcIssuer", "oidcAllow"],
  ["oidcClientId", "oidcIssuer"],
  ["oidcClientSecret", "oidcIssuer"],
  ["oidcAllow", "oidcIssuer"],
  ["smtpTlsCert", "smtpTlsKey"],
  ["smtpTlsKey", "smtpTlsCert"],
  ["httpTlsCert", "httpTlsKey"],
  ["httpTlsKey", "httpTlsCert"],
];

const isGiven = (value: unknown) => value !== undefined && value !== false && String(value) !== "";

const CERTIFICATES = "--smtp-tls-cert with --smtp-tls-key, or --smtp-tls self-signed";

/** Checks combinations of settings. The error for a missing certificate shows the flags in `certificates`. */
export function checkTogether(settings: ServeSettings, certificates = CERTIFICATES): void {
  const webhooks = settings.webhook.map(({ url, filter }) => `${url} ${filter}`);
  if (new Set(webhooks).size < webhooks.length) {
    throw new UsageError("--webhook: one URL is given twice with the same filter");
  }
  for (const [name, needed] of NEEDS)
    if (isGiven(settings[name]) && !isGiven(settings[needed]))
      throw new UsageError(`--${flagName(name)} needs --${flagName(needed)}`);
  if (settings.relayFilter !== undefined && settings.relayAllow.length === 0)
    throw new UsageError("--relay-filter needs --relay-allow; use --relay-allow '*' for all recipients");
  const { smtpTlsCert, smtpTls, smtpsPort, smtpTlsRequired } = settings;
  const needsTls = smtpsPort !== undefined ? "--smtps-port" : smtpTlsRequired ? "--smtp-tls-required" : null;
  if (needsTls && smtpTlsCert === undefined && smtpTls === "off") {
    throw new UsageError(`${needsTls} needs a certificate: ${certificates}`);
  }
}
