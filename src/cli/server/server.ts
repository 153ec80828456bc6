// Puts everything together: store, mailbox, SMTP and HTTP from one set of settings.
import { Inboxes, Tokens, Transcripts } from "../../app/index.ts";
import type { ServeSettings } from "../../config/index.ts";
import { startHttpServer, startStartingServer, type VerifyUser } from "../../http/index.ts";
import { hostAndPort } from "../../lib/hosts.ts";
import type { Logger } from "../../lib/logger.ts";
import type { DeclaredInbox } from "../../model/index.ts";
import { type SmtpLimits, SmtpServer } from "../../smtp/index.ts";
import {
  type IndexProgress,
  openFileStore,
  openMemoryStore,
  openPostgresStore,
  type Store,
} from "../../store/index.ts";
import { defined } from "../command/command.ts";
import { dataFolder, folderFailure } from "../command/data-folder.ts";
import { isLoopback, listenAddress } from "../command/hosts.ts";
import { COMMIT, loadWebFiles, SERVER_NAME, storeParts, VERSION } from "./bundle.ts";
import { declaredFaults, declaredInboxes, settingsOfChecks } from "./declared.ts";
import { deliverySettings, OUTCOME_PREFIX } from "./deliveries.ts";
import { checkSmtp, listen } from "./listen.ts";
import { type Services, startServices } from "./services.ts";
import { tlsKeyPair, watchKeyPair } from "./tls-files.ts";
import { httpUsers, oidcSettings, smtpCredentials } from "./users.ts";

export interface ServerContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
  readonly now: () => Date;
  readonly onIndexProgress?: (progress: IndexProgress) => void;
}

export interface RunningServer {
  /** Such as `127.0.0.1:1025` or `[::1]:1025`. */
  readonly smtp: string;
  readonly smtps: string | null;
  /** Such as `http://127.0.0.1:8025`. */
  readonly http: string;
  /** The addresses of Mailpit's and MailHog's interfaces, if they have their own ports. */
  readonly mailpit?: string;
  readonly mailhog?: string;
  /** The address of the web page, with the base path. */
  readonly page: string;
  /** Whether other machines can reach the server and it asks for no login. */
  readonly isOpenToOthers: boolean;
  /** Where the mail is kept; null when it is in memory. */
  readonly storedIn: string | null;
  stop(graceMs: number): Promise<void>;
}

async function openStore(
  { durability, acceptLoss, store: url, bodies, staleReads }: ServeSettings,
  dataDir: string | null,
  { logger, now, onIndexProgress = () => {} }: ServerContext,
): Promise<Store> {
  const common = storeParts(logger, now);
  if (dataDir === null) return openMemoryStore(common);
  const own = { ...common, dir: dataDir, onProgress: onIndexProgress };
  const opened =
    url === undefined
      ? openFileStore({ ...own, durability, acceptLoss })
      : openPostgresStore({ ...own, url, bodies, staleReads });
  return opened.catch((error) => {
    throw folderFailure(dataDir, error);
  });
}

const smtpSecurity = (settings: ServeSettings, now: Date) => ({
  tls: tlsKeyPair("smtp", settings, now),
  tlsRequired: settings.smtpTlsRequired,
  auth: { required: settings.smtpAuthRequired, verify: smtpCredentials(settings) },
});

const smtpLimits = (settings: ServeSettings): SmtpLimits => ({
  maxMessageBytes: settings.maxMessageSize,
  maxRecipients: settings.maxRecipients,
  maxConnections: settings.maxConnections,
  maxConnectionsPerAddress: settings.maxConnectionsPerAddress ?? settings.maxConnections,
  maxCommandBytes: settings.maxCommandLength,
  maxFruitlessCommands: settings.maxFruitlessCommands,
  idleTimeoutMs: settings.smtpIdleTimeout,
  messageTimeoutMs: settings.smtpMessageTimeout,
});

function startSmtp(
  settings: ServeSettings,
  security: ReturnType<typeof smtpSecurity>,
  { mailbox, inboxes, faults, transcripts }: Services,
  declared: readonly DeclaredInbox[],
  logger: Logger,
): Promise<SmtpServer> {
  const { bind: host, smtpPort, smtpsPort } = settings;
  const inboxPorts = declared.flatMap(({ name: inbox, port }) =>
    port === undefined ? [] : [{ inbox, port }],
  );
  const limits = smtpLimits(settings);
  const ports: Parameters<typeof listen>[0] = [
    { protocol: "SMTP", flag: "--smtp-port", host, port: smtpPort },
    { protocol: "SMTPS", flag: "--smtps-port", host, port: smtpsPort ?? 0 },
    ...inboxPorts.map(({ port }) => ({ protocol: "SMTP", flag: "--inbox", host, port }) as const),
  ];
  const start = async () =>
    new SmtpServer({
      hostname: host,
      port: smtpPort,
      smtpsPort,
      inboxPorts,
      ...security,
      limits,
      mailbox,
      inboxes,
      faults,
      transcripts,
      logger,
      serverName: SERVER_NAME,
    });
  return listen(ports, start);
}

interface HttpContext extends Services, Pick<ServerContext, "logger" | "now"> {
  readonly store: Store;
  readonly smtp: SmtpServer;
  readonly startedAt: Date;
  readonly pages: Awaited<ReturnType<typeof loadWebFiles>>;
  readonly tls: ReturnType<typeof tlsKeyPair>;
  readonly users: VerifyUser | undefined;
  readonly tokens: Tokens;
}

function startHttp(settings: ServeSettings, context: HttpContext) {
  const { bind: host, httpPort: port, mailpitPort, mailhogPort } = settings;
  const { smtp, startedAt, webhooks, faults } = context;
  const { relay } = settings;
  const ports: Parameters<typeof listen>[0] = [
    { protocol: "HTTP", flag: "--http-port", host, port },
    { protocol: "Mailpit", flag: "--mailpit-port", host, port: mailpitPort ?? 0 },
    { protocol: "MailHog", flag: "--mailhog-port", host, port: mailhogPort ?? 0 },
  ];
  return listen(ports, async () =>
    startHttpServer({
      ...context,
      hostname: host,
      port,
      compatPorts: defined({ mailpit: mailpitPort, mailhog: mailhogPort }),
      trustedProxies: settings.trustedProxy,
      facts: {
        version: VERSION,
        commit: COMMIT,
        startedAt,
        uptimeMs: () => performance.now(),
        storeKind: settings.ephemeral ? "memory" : settings.store === undefined ? "file" : "postgres",
        smtp: () => ({ host, port: smtp.port }),
        smtps: () => (smtp.smtpsPort === undefined ? null : { host, port: smtp.smtpsPort }),
        inboxPorts: () => smtp.inboxPorts,
        releaseEnabled: !settings.noRelease,
        smtpFigures: () => ({ ...smtp.counts, open: smtp.connections }),
        webhooks,
        relay: relay ? { host: relay.host, port: relay.port } : null,
      },
      // A fault rule at `connect` would make this check fail, so the check is left out.
      healthChecks: { smtp: () => (faults.has("connect") ? undefined : checkSmtp(host, smtp)) },
      access: {
        allowedHosts: settings.allowedHost,
        boundHost: host,
        corsOrigins: settings.corsOrigin,
        users: context.users,
        oidc: oidcSettings(settings),
      },
      limits: {
        maxWebsockets: settings.maxWebsockets,
        maxMessageBytes: settings.maxMessageSize,
        maxRecipients: settings.maxRecipients,
      },
      basePath: settings.basePath,
      servesMcp: !settings.noMcp,
    }),
  );
}

/** Until the log is read from PostgreSQL, the HTTP port answers that the node is starting. */
function startStarting(
  { bind: hostname, httpPort: port, basePath }: ServeSettings,
  tls: ReturnType<typeof tlsKeyPair>,
  progress: () => string,
) {
  const attempt = { protocol: "HTTP", flag: "--http-port", host: hostname, port } as const;
  return listen([attempt], async () => startStartingServer({ hostname, port, tls, basePath, progress }));
}

export async function startServer(given: ServeSettings, context: ServerContext): Promise<RunningServer> {
  let settings = { ...given, bind: listenAddress(given.bind) };
  const { logger, now, environment } = context;
  const startedAt = now();
  const security = smtpSecurity(settings, startedAt);
  const tls = tlsKeyPair("http", settings, startedAt);
  /** Functions that stop SMTP and HTTP. They run together, and then `otherStops`, the last one first. */
  const serverStops: ((graceMs: number) => Promise<void>)[] = [];
  const otherStops: (() => Promise<void> | void)[] = [];
  const users = httpUsers(settings);
  const checkSettings = settingsOfChecks(settings);
  const faults = declaredFaults(settings, now);
  const declared = declaredInboxes(settings);
  const deliveries = deliverySettings(settings);
  const dataDir = settings.ephemeral ? null : dataFolder(settings.dataDir, environment);
  const pages = loadWebFiles();
  const stop = async (graceMs: number) => {
    await Promise.all(serverStops.splice(0).map((close) => close(graceMs)));
    for (const close of otherStops.splice(0).reverse()) await close();
  };
  try {
    let progress = "connecting to PostgreSQL";
    const onIndexProgress = (report: IndexProgress) => {
      if (report.index === "rows") progress = `${report.done} of ${report.total} records read`;
      context.onIndexProgress?.(report);
    };
    const starting = settings.store === undefined ? null : await startStarting(settings, tls, () => progress);
    if (starting !== null) {
      serverStops.push(async () => starting.stop());
      settings = { ...settings, httpPort: starting.port };
    }
    const store = await openStore(settings, dataDir, { ...context, onIndexProgress });
    otherStops.push(() => store.close());
    const tokens = await Tokens.open(store, now);
    const { requireAuth, httpAuth, httpAuthFile, oidcIssuer } = settings;
    const hasPeople = httpAuth.length > 0 || httpAuthFile !== undefined || oidcIssuer !== undefined;
    if (requireAuth && !hasPeople && tokens.list().length === 0)
      logger.warn("nobody can log in: there is no token yet, and none can be made with --require-auth alone");
    const transcripts = new Transcripts();
    const inboxes = await Inboxes.open({
      store,
      tokens,
      faults,
      transcripts,
      declared,
      now,
      logger,
      retentionStarred: settings.retentionStarred,
    });
    otherStops.push(() => inboxes.stop());
    // Only a warning, because the inbox may be created later.
    for (const { name, inbox } of faults.list())
      if (inbox !== undefined && !(await inboxes.has(inbox)))
        logger.warn("fault rule names an unknown inbox", { rule: name, inbox });
    const services = startServices(settings, {
      store,
      logger,
      now,
      onStop: (close) => otherStops.push(close),
      checkSettings,
      faults,
      inboxes,
      transcripts,
      deliverySettings: deliveries,
      outcomes: await store.settings(OUTCOME_PREFIX),
      newest: (await store.list({ filter: {}, limit: 1 })).messages[0]?.id ?? "",
    });
    const smtp = await startSmtp(settings, security, services, declared, logger);
    serverStops.push((graceMs) => smtp.stop(graceMs));
    for (const [inbox, port] of smtp.inboxPorts) logger.info("inbox has a port", { inbox, port });
    const own = { store, smtp, startedAt, pages: await pages, tls, users, tokens, logger, now };
    starting?.stop();
    const http = await startHttp(settings, { ...services, ...own });
    serverStops.push((graceMs) => http.stop(graceMs));
    otherStops.push(watchKeyPair(settings, logger, (renewed) => http.renew(renewed)));
    return {
      smtp: hostAndPort(settings.bind, smtp.port),
      smtps: smtp.smtpsPort === undefined ? null : hostAndPort(settings.bind, smtp.smtpsPort),
      http: http.url,
      ...http.compatUrls,
      page: http.url + settings.basePath,
      isOpenToOthers: !isLoopback(settings.bind) && users === undefined && settings.oidcIssuer === undefined,
      storedIn: settings.store === undefined ? dataDir : `PostgreSQL at ${new URL(settings.store).host}`,
      stop,
    };
  } catch (error) {
    await stop(0);
    throw error;
  }
}
