// A whole Mailkeep without SMTP: a real store, by default in memory, and a real HTTP server on a
// free port.
import {
  Faults,
  Inboxes,
  Mailbox,
  MessageChecks,
  MessageReader,
  Release,
  type ReleaseOptions,
  Tokens,
  Transcripts,
} from "../../../src/app/index.ts";
import { Checker, type CheckSettings } from "../../../src/checks/index.ts";
import { type HttpServerOptions, startHttpServer } from "../../../src/http/index.ts";
import { silentLogger } from "../../../src/lib/logger.ts";
import { createBodyParser, startScan } from "../../../src/mime/index.ts";
import type { DeclaredInbox, MessageSummary } from "../../../src/model/index.ts";
import { openMemoryStore, type Store } from "../../../src/store/index.ts";
import { searchInProcess } from "../../store/search-in-process.ts";
import { NO_TAGGING } from "../../support/plain-mailbox.ts";
import { createClient } from "./client.ts";

const startWorker = (name: string) =>
  new Worker(new URL(`../../../src/worker/${name}.ts`, import.meta.url).href);

/** Shared by all tests of a process, because starting a thread takes longer than most tests. */
const bodyParser = createBodyParser({
  startWorker: () => startWorker("parse-worker"),
  timeoutMs: 20_000,
  maxBytes: 20 * 1024 * 1024,
});

export interface TestOptions {
  readonly http?: Partial<Omit<HttpServerOptions, "limits">> & {
    readonly limits?: Partial<HttpServerOptions["limits"]>;
  };
  readonly release?: Partial<ReleaseOptions>;
  readonly checks?: Partial<CheckSettings>;
  readonly now?: () => Date;
  readonly store?: Store;
  readonly declared?: readonly DeclaredInbox[];
}

export interface Envelope {
  readonly sender?: string;
  readonly recipients?: readonly string[];
  readonly inbox?: string;
}

export async function startMailkeep({
  http = {},
  release = {},
  checks = {},
  now = () => new Date(),
  store: given,
  declared = [],
}: TestOptions = {}) {
  const store =
    given ??
    (await openMemoryStore({
      startScan,
      now,
      logger: silentLogger,
      startSearchWorker: searchInProcess().start,
    }));
  let listeners = 0;
  const onChange = store.onChange.bind(store);
  store.onChange = (listener) => {
    listeners++;
    const end = onChange(listener);
    return () => {
      listeners--;
      end();
    };
  };
  const tokens = await Tokens.open(store, now);
  const faults = new Faults({ now });
  const transcripts = new Transcripts();
  const inboxes = await Inboxes.open({
    store,
    tokens,
    faults,
    transcripts,
    declared,
    now,
    logger: silentLogger,
    retentionStarred: false,
  });
  const inbox = new Mailbox({ store, inboxes, tagging: NO_TAGGING });
  const reader = new MessageReader({ store, bodyParser });
  const checker = new Checker({
    startWorker: () => startWorker("check-worker"),
    timeoutMs: 10_000,
    dns: null,
    linksAllow: [],
    engines: { spamassassin: undefined, rspamd: undefined },
    ...checks,
  });
  const server = await startHttpServer({
    hostname: "127.0.0.1",
    port: 0,
    inboxes,
    mailbox: inbox,
    store,
    reader,
    checks: new MessageChecks({ store, reader, checker }),
    release: new Release({ store, enabled: true, allow: [], deny: [], name: "mailkeep.test", ...release }),
    faults,
    transcripts,
    tokens,
    relaying: null,
    logger: silentLogger,
    now,
    facts: {
      version: "1.2.3",
      commit: "abc1234",
      startedAt: now(),
      uptimeMs: () => 61_900,
      storeKind: "memory",
      smtp: () => ({ host: "127.0.0.1", port: 1025 }),
      smtps: () => ({ host: "127.0.0.1", port: 1465 }),
      inboxPorts: () => new Map([["shop", 2525]]),
      releaseEnabled: true,
      smtpFigures: () => ({ open: 0, connections: 0, turnedAway: 0, commands: {}, refusals: new Map() }),
      webhooks: () => [],
      relay: null,
    },
    healthChecks: {},
    access: { allowedHosts: [], corsOrigins: [] },
    pages: [],
    basePath: "",
    servesMcp: true,
    ...http,
    limits: { maxWebsockets: 1000, maxMessageBytes: 50 * 1024 ** 2, maxRecipients: 1000, ...http.limits },
  });

  async function receive(raw: string | Uint8Array, envelope: Envelope = {}): Promise<MessageSummary> {
    const draft = inbox.receive({
      sender: envelope.sender ?? "sender@example.com",
      recipients: envelope.recipients ?? ["alice@example.com"],
      inbox: envelope.inbox,
    });
    await draft.append(typeof raw === "string" ? new TextEncoder().encode(raw) : raw);
    return draft.commit();
  }

  return {
    call: await createClient(server.url),
    url: server.url,
    server,
    store,
    inbox,
    inboxes,
    reader,
    faults,
    transcripts,
    tokens,
    receive,
    listenerCount: () => listeners,
    async stop() {
      await server.stop(0);
      await inboxes.stop();
      checker.close();
      await store.close();
    },
  };
}

export type Mailkeep = Awaited<ReturnType<typeof startMailkeep>>;

export const mail = (subject: string, body = "Hello.", headers: readonly string[] = []) =>
  [`Subject: ${subject}`, ...headers, "", body, ""].join("\r\n");

export const HANDSHAKE = {
  upgrade: "websocket",
  connection: "upgrade",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  "sec-websocket-version": "13",
};
