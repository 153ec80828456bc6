// Starts an SMTP server on a free port for one test, with generous limits and a mailbox that records.
import { Faults, Transcripts } from "../../src/app/index.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import { DEFAULT_INBOX } from "../../src/model/index.ts";
import { type SmtpLimits, SmtpServer, type SmtpServerOptions } from "../../src/smtp/index.ts";
import { RecordingMailbox } from "./recording-mailbox.ts";

const TEST_LIMITS: SmtpLimits = {
  maxMessageBytes: 1_000_000,
  maxRecipients: 100,
  maxConnections: 50,
  maxConnectionsPerAddress: 50,
  maxCommandBytes: 2048,
  maxFruitlessCommands: 50,
  idleTimeoutMs: 60_000,
  messageTimeoutMs: 60_000,
};

/** All mail goes into the default inbox, and no login is that of an inbox. */
const ONE_INBOX: SmtpServerOptions["inboxes"] = {
  place: () => DEFAULT_INBOX,
  verify: async () => null,
  needsHeader: () => false,
  mayDeliver: () => true,
  canCramMd5: true,
};

export interface TestServer extends AsyncDisposable {
  readonly server: SmtpServer;
  readonly mailbox: RecordingMailbox;
}

type TestOptions = Partial<Omit<SmtpServerOptions, "limits">> & { limits?: Partial<SmtpLimits> };

export async function startTestServer({ limits, ...options }: TestOptions = {}): Promise<TestServer> {
  const mailbox = new RecordingMailbox();
  const server = new SmtpServer({
    hostname: "127.0.0.1",
    port: 0,
    tlsRequired: false,
    auth: { required: false, verify: null },
    inboxes: ONE_INBOX,
    faults: new Faults({ now: () => new Date() }),
    transcripts: new Transcripts(),
    logger: silentLogger,
    serverName: "mailkeep.test",
    mailbox,
    ...options,
    limits: { ...TEST_LIMITS, ...limits },
  });
  return { server, mailbox, [Symbol.asyncDispose]: () => server.stop(0) };
}
