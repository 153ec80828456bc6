// File descriptors, which the system limits: how many are needed, and how many connections fit.
import { closeSync, openSync, readFileSync } from "node:fs";
import { devNull } from "node:os";
import type { Logger } from "../../lib/logger.ts";
import { StartError } from "../command/command.ts";

/** For the server's ports, files and threads, some HTTP connections, and thirty for the start of a thread. */
const OWN_DESCRIPTORS = 56;
/** With fewer, the threads for search and parsing may fail to start: mail would be stored, but searches would fail. */
const MIN_DESCRIPTORS = 64;
/** A large mail needs a file besides its connection. */
const DESCRIPTORS_PER_CONNECTION = 2;

/**
 * The limit of this process, infinite if unknown. Bun has raised the soft limit to the hard one. Only Linux tells it.
 */
function descriptorLimit(): number {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

export function assertEnoughDescriptors(): void {
  const limit = descriptorLimit();
  if (limit >= MIN_DESCRIPTORS) return;
  throw new StartError(
    `the limit of ${limit} file descriptors is too low, Mailkeep needs ${MIN_DESCRIPTORS}: raise it, for example with 'ulimit -n 1024'`,
  );
}

/** How many of the wanted connections have enough descriptors. */
export function affordableConnections(wanted: number, logger: Logger): number {
  const allowed = descriptorLimit();
  const affordable = Math.floor((allowed - OWN_DESCRIPTORS) / DESCRIPTORS_PER_CONNECTION);
  const maxConnections = Math.max(1, Math.min(wanted, affordable));
  if (maxConnections < wanted) {
    logger.warn("too few file descriptors for all SMTP connections", { allowed, wanted, maxConnections });
  }
  return maxConnections;
}

/** A thread that finds no file descriptor when it starts would end the whole process. Throws EMFILE instead. */
export function assertFree(count: number): void {
  const taken: number[] = [];
  try {
    for (let index = 0; index < count; index++) taken.push(openSync(devNull, "r"));
  } finally {
    for (const fd of taken) closeSync(fd);
  }
}
