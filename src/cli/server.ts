// Where everything is put together: store, inbox, SMTP and HTTP from one set of settings.
import { Expectations, Inbox, MessageReader, Release, Retention, Webhook } from "../app/index.ts";
import type { ServeSettings } from "../config/index.ts";
import { EventBus } from "../events/index.ts";
import { startHttpServer } from "../http/index.ts";
import { hostAndPort } from "../lib/host-and-port.ts";
import type { Logger } from "../lib/logger.ts";
import { createBodyParser, startScan } from "../mime/index.ts";
import type { InboxEvent } from "../model/index.ts";
import { type SmtpLimits, startSmtpServer } from "../smtp/index.ts";
import {
  type IndexProgress,
  openFileStore,
  openMemoryStore,
  type Store,
  StoreError,
} from "../store/index.ts";
import type { ListeningAddresses } from "./announce.ts";
import { StartError } from "./command.ts";
import { dataFolder } from "./data-folder.ts";
import { affordableConnections, descriptorLimit, watchDescriptors } from "./descriptors.ts";
import { listen } from "./listen.ts";
import { checkSmtp } from "./smtp-health.ts";
import { smtpCredentials, smtpLimits, tlsKeyPair } from "./smtp-options.ts";
import { COMMIT, VERSION } from "./version.ts";
import { loadWebFiles } from "./web-files.ts";
import { startWorker } from "./workers.ts";

export interface ServerContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
  readonly now: () => Date;
  readonly onIndexProgress?: (progress: IndexProgress) => void;
  /** Hears every event before any client does. */
  readonly onEvent?: (event: InboxEvent) => void;
}

export interface RunningServer extends ListeningAddresses {
  /** Takes nothing new, lets what is under way finish for `graceMs`, closes the store. */
  stop(graceMs: number): Promise<void>;
}

const SERVER_NAME = "mailkeep";
const PARSE_TIMEOUT_MS = 10_000;
/** A result much larger than this would hold the main thread up on its way back from the worker. */
const MAX_PARSED_BYTES = 8 * 1024 ** 2;

async function openStore(
  { durability }: ServeSettings,
  dataDir: string | null,
  { logger, now, onIndexProgress = () => {} }: ServerContext,
): Promise<Store> {
  const common = { startScan, startSearchWorker: () => startWorker("search-worker"), now, logger };
  try {
    if (dataDir === null) return await openMemoryStore(common);
    return await openFileStore({ ...common, dir: dataDir, durability, onProgress: onIndexProgress });
  } catch (error) {
    if (error instanceof StoreError) throw new StartError(error.message, { cause: error });
    throw error;
  }
}

function affordableLimits(limits: SmtpLimits, logger: Logger): SmtpLimits {
  const allowed = descriptorLimit();
  const maxConnections = affordableConnections(limits.maxConnections, allowed);
  if (maxConnections === limits.maxConnections) return limits;
  const wanted = limits.maxConnections;
  logger.warn("too few file descriptors for all SMTP connections", { allowed, wanted, maxConnections });
  return { ...limits, maxConnections };
}

export async function startServer(settings: ServeSettings, context: ServerContext): Promise<RunningServer> {
  const { logger, now, environment } = context;
  const startedAt = now();
  const tls = tlsKeyPair(settings, startedAt);
  const verify = smtpCredentials(settings);
  const dataDir = settings.ephemeral ? null : dataFolder(settings.dataDir, environment);
  const files = loadWebFiles();

  // The doors close together; then what stands behind them, the last one opened first.
  const doors: ((graceMs: number) => Promise<void>)[] = [];
  const closers: (() => Promise<void> | void)[] = [];
  const stop = async (graceMs: number) => {
    await Promise.all(doors.splice(0).map((close) => close(graceMs)));
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    const store = await openStore(settings, dataDir, context);
    closers.push(() => store.close());
    const bus = new EventBus<InboxEvent>((error) =>
      logger.error("event subscriber failed", { error: String(error) }),
    );
    if (context.onEvent) bus.subscribe(context.onEvent);
    const inbox = new Inbox(store, bus, {
      plusAddresses: settings.tagPlusAddresses,
      header: settings.tagHeader,
    });
    const bodyParser = createBodyParser({
      startWorker: () => startWorker("parse-worker"),
      timeoutMs: PARSE_TIMEOUT_MS,
      maxBytes: MAX_PARSED_BYTES,
    });
    closers.push(() => bodyParser.close());
    const reader = new MessageReader({ store, bus, bodyParser });
    const release = new Release({
      store,
      enabled: !settings.noRelease,
      allow: settings.releaseAllow,
      name: SERVER_NAME,
    });

    const expectations = new Expectations({ store, bus, clock: () => performance.now() });
    const retention = new Retention({
      store,
      inbox,
      bus,
      logger,
      now,
      maxAgeMs: settings.retention,
      maxMessages: settings.maxMessages,
      maxBytes: settings.maxDisk,
      includeStarred: settings.retentionStarred,
    });
    closers.push(() => retention.stop());

    const webhook =
      settings.webhook === undefined
        ? null
        : new Webhook({ url: settings.webhook, bus, logger, userAgent: `${SERVER_NAME}/${VERSION}` });
    closers.push(async () => webhook?.stop());

    const host = settings.bind;
    const smtpPorts: Parameters<typeof listen>[0] = [
      { protocol: "SMTP", flag: "--smtp-port", host, port: settings.smtpPort },
      { protocol: "SMTPS", flag: "--smtps-port", host, port: settings.smtpsPort ?? 0 },
    ];
    const smtp = await listen(smtpPorts, () =>
      startSmtpServer({
        hostname: host,
        port: settings.smtpPort,
        smtpsPort: settings.smtpsPort,
        tls,
        tlsRequired: settings.smtpTlsRequired,
        auth: { required: settings.smtpAuthRequired, verify },
        limits: affordableLimits(smtpLimits(settings), logger),
        mailbox: retention.guard(inbox),
        logger,
        serverName: SERVER_NAME,
      }),
    );
    doors.push((graceMs) => smtp.stop(graceMs));
    const http = await listen(
      [{ protocol: "HTTP", flag: "--http-port", host, port: settings.httpPort }],
      async () =>
        startHttpServer({
          hostname: host,
          port: settings.httpPort,
          inbox,
          store,
          reader,
          expectations,
          release,
          bus,
          logger,
          now,
          facts: {
            version: VERSION,
            commit: COMMIT,
            startedAt,
            storeKind: dataDir === null ? "memory" : "file",
            smtp: () => ({ host, port: smtp.port }),
            releaseEnabled: !settings.noRelease,
            webhook: () => webhook?.state ?? null,
          },
          healthChecks: { smtp: () => checkSmtp(host, smtp.port) },
          access: {
            allowedHosts: settings.allowedHost,
            boundHost: host,
            corsOrigins: settings.corsOrigin,
            httpAuth: settings.httpAuth,
          },
          limits: { maxWebsockets: settings.maxWebsockets },
          pages: await files,
        }),
    );
    doors.push((graceMs) => http.stop(graceMs));
    closers.push(watchDescriptors(logger, () => http.closeIdle()));
    return {
      smtp: hostAndPort(host, smtp.port),
      smtps: smtp.smtpsPort === undefined ? null : hostAndPort(host, smtp.smtpsPort),
      http: http.url,
      dataDir,
      stop,
    };
  } catch (error) {
    await stop(0);
    throw error;
  }
}
