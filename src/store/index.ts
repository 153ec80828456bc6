export { type FileStoreOptions, type IndexProgress, openFileStore } from "./open-file.ts";
export { type MemoryStoreOptions, openMemoryStore } from "./open-memory.ts";
export { reindexStore } from "./reindex.ts";
export { serveSearch } from "./search/serve.ts";
export {
  type Envelope,
  isGone,
  type MessageDraft,
  type MessageFacts,
  type MessagePage,
  type MessageScan,
  type OldestMessage,
  type OldestQuery,
  type RawMessage,
  type Store,
  StoreError,
  type StoreErrorCode,
  type StoreStats,
} from "./store.ts";
export type { ProblemKind, StoreProblem } from "./verify/problem.ts";
export { type VerifyOptions, type VerifyReport, verifyStore } from "./verify/verify.ts";
