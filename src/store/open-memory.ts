// Opens the store of `--ephemeral`: everything in memory, no file written.
import { Database } from "bun:sqlite";
import type { Logger } from "../lib/logger.ts";
import { MemoryLog } from "./log/memory-log.ts";
import { MailStore } from "./mail-store.ts";
import { Rows } from "./rows/rows.ts";
import { ROWS_SCHEMA } from "./rows/schema.ts";
import { ScanSearch } from "./search/scan-search.ts";
import type { MessageScan, Store } from "./store.ts";

export interface MemoryStoreOptions {
  readonly startScan: () => MessageScan;
  readonly startSearchWorker: () => Worker;
  readonly now: () => Date;
  readonly logger: Logger;
}

export async function openMemoryStore(options: MemoryStoreOptions): Promise<Store> {
  const db = new Database(":memory:", { strict: true });
  db.run(ROWS_SCHEMA);
  const rows = new Rows(db);
  const log = new MemoryLog();
  return new MailStore({
    log,
    rows,
    search: new ScanSearch(rows, log),
    startScan: options.startScan,
    now: options.now,
    indexBytes: () => 0,
    release: () => {},
  });
}
