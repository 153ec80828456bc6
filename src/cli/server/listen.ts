// Opens ports and explains failures. Checks that file descriptors are free.
import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { hostAndPort } from "../../lib/hosts.ts";
import { StartError } from "../command/command.ts";

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

/** Throws EMFILE if fewer descriptors are free: a thread started without them ends the process. */
export function assertFree(count: number): void {
  const taken: number[] = [];
  try {
    for (let index = 0; index < count; index++) taken.push(openSync(devNull, "r"));
  } finally {
    for (const fd of taken) closeSync(fd);
  }
}
