// Opens ports and explains failures. Checks that SMTP answers and that file descriptors are free.
import { closeSync, openSync } from "node:fs";
import { connect } from "node:net";
import { devNull } from "node:os";
import { hostAndPort } from "../../lib/hosts.ts";
import type { SmtpServer } from "../../smtp/index.ts";
import { StartError } from "../command/command.ts";
import { reachable } from "../command/hosts.ts";

export interface ListenAttempt {
  readonly protocol: "SMTP" | "SMTPS" | "HTTP" | "Mailpit" | "MailHog";
  readonly flag: string;
  readonly host: string;
  readonly port: number;
}

const REASONS: Readonly<Record<string, (attempt: ListenAttempt) => string>> = {
  EADDRINUSE: ({ flag }) => `the port is in use; choose another with ${flag}`,
  EACCES: ({ flag }) => `ports below 1024 need special permissions; choose a higher one with ${flag}`,
  EADDRNOTAVAIL: () => "this machine does not have that address; choose another with --bind",
  // Bun fails without a code if a host name is not known.
  "": () => "it is not an address of this machine; choose another with --bind",
};

export async function listen<Server>(
  [first, ...others]: readonly [ListenAttempt, ...ListenAttempt[]],
  start: () => Promise<Server>,
): Promise<Server> {
  try {
    return await start();
  } catch (error) {
    const { code = "", message, port } = error as NodeJS.ErrnoException & { port?: number };
    const attempt = others.find((other) => other.port === port && port !== first.port) ?? first;
    const reason = REASONS[code]?.(attempt) ?? message;
    const address = hostAndPort(attempt.host, attempt.port);
    throw new StartError(`cannot listen on ${address} for ${attempt.protocol}: ${reason}`, { cause: error });
  }
}

/**
 * Resolves if SMTP greets with 220. If so many clients are connected that the server may refuse one
 * more, an open connection is enough.
 */
export function checkSmtp(host: string, server: Pick<SmtpServer, "port" | "isCrowded">): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect({ host: reachable(host), port: server.port });
  let isConnected = false;
  const fail = (reason: string) => {
    if (isConnected && server.isCrowded) resolve();
    else reject(new Error(reason));
  };
  socket.setEncoding("latin1");
  socket.on("connect", () => {
    isConnected = true;
  });
  socket.on("error", (error) => fail(`SMTP does not answer: ${error.message}`));
  socket.once("data", (greeting) => {
    const line = String(greeting).trimEnd();
    if (line.startsWith("220")) resolve();
    else fail(`SMTP answered: ${line}`);
    socket.end("QUIT\r\n");
  });
  socket.on("close", () => fail("SMTP closed the connection without a greeting"));
  return promise;
}

/** Throws EMFILE if fewer descriptors are free: a thread started without them ends the process. */
export function assertFree(count: number): void {
  const taken: number[] = [];
  try {
    for (let index = 0; index < count; index++) taken.push(openSync(devNull, "r"));
  } finally {
    for (const fd of taken) closeSync(fd);
  }
}
