// What to say when a port cannot be had.
import { lookup } from "node:dns/promises";
import { hostAndPort } from "../../lib/host-and-port.ts";
import { StartError } from "../command.ts";

export interface ListenAttempt {
  readonly protocol: "SMTP" | "SMTPS" | "HTTP";
  readonly flag: string;
  readonly host: string;
  readonly port: number;
}

const REASONS: Readonly<Record<string, (attempt: ListenAttempt) => string>> = {
  EADDRINUSE: ({ flag }) => `the port is in use; choose another with ${flag}`,
  EACCES: ({ flag }) => `ports below 1024 need special rights; choose another with ${flag}`,
  EADDRNOTAVAIL: () => "the address is not one of this machine's; choose another with --bind",
  UNKNOWN_HOST: () => "the host name is not known; choose an address with --bind",
};

/** Bun fails without a code, or with a wrong one, where a name has no address. */
async function isKnown(host: string): Promise<boolean> {
  try {
    await lookup(host);
    return true;
  } catch {
    return false;
  }
}

/** Runs a start that binds ports; a failure to bind becomes one clear line. */
export async function listen<Server>(
  [first, ...others]: readonly [ListenAttempt, ...ListenAttempt[]],
  start: () => Promise<Server>,
): Promise<Server> {
  try {
    return await start();
  } catch (error) {
    const { code = "", message, port } = error as NodeJS.ErrnoException & { port?: number };
    const attempt = others.find((other) => other.port === port && port !== first.port) ?? first;
    const cause = REASONS[code] || (await isKnown(attempt.host)) ? code : "UNKNOWN_HOST";
    const reason = REASONS[cause]?.(attempt) ?? message;
    const address = hostAndPort(attempt.host, attempt.port);
    throw new StartError(`cannot listen on ${address} for ${attempt.protocol}: ${reason}`, { cause: error });
  }
}
