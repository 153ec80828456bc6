export {
  type FileStoreOptions,
  type IndexProgress,
  type MemoryStoreOptions,
  openFileStore,
  openMemoryStore,
  openPostgresStore,
  type PostgresStoreOptions,
  reindexStore,
} from "./open.ts";
export { SearchWorker } from "./search/worker.ts";
export {
  isWithin,
  type MailView,
  type MessageDraft,
  type MessageScan,
  type RawMessage,
  type Scope,
  type Setting,
  type Store,
  type StoreChange,
  StoreError,
  type StoreErrorCode,
} from "./store.ts";
export { type VerifyReport, verifyStore } from "./verify.ts";
