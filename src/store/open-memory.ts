// Opens the store of `--ephemeral`: everything in memory, no file written.
import type { Logger } from "../lib/logger.ts";
import { openDerived } from "./derived-db.ts";
import { MemoryLog } from "./log/memory-log.ts";
import { MailStore } from "./mail-store.ts";
import { Rows } from "./rows/rows.ts";
import { ROWS_SCHEMA } from "./rows/schema.ts";
import { SearchClient } from "./search/search-client.ts";
import type { MessageScan, Store } from "./store.ts";

export interface MemoryStoreOptions {
  readonly startScan: () => MessageScan;
  readonly startSearchWorker: () => Worker;
  readonly now: () => Date;
  readonly logger: Logger;
}

export async function openMemoryStore(options: MemoryStoreOptions): Promise<Store> {
  const { db } = openDerived(":memory:", ROWS_SCHEMA, 0);
  const rows = new Rows(db);
  const log = new MemoryLog();
  return new MailStore({
    log,
    bodies: log,
    rows,
    search: new SearchClient({
      path: ":memory:",
      salt: 0,
      startWorker: options.startSearchWorker,
      rows,
      bodies: log,
      logger: options.logger,
      onProgress: () => {},
    }),
    startScan: options.startScan,
    now: options.now,
    logger: options.logger,
    indexBytes: () => 0,
    freed: () => {},
    compact: async () => {},
    rebuildRows: async () => {
      throw new Error("rows in memory cannot be damaged");
    },
    canGiveUpRows: () => false,
    giveUpRows: async () => {},
    hasRoomFor: () => true,
    hasRoomForChanges: () => true,
    isShortOfRoom: () => false,
    assertWritable: () => {},
    giveUpReserve: () => false,
    takeReserve: () => {},
    quiesce: async () => {},
    release: () => db.close(),
  });
}
