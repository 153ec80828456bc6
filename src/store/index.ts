export { type MemoryStoreOptions, openMemoryStore } from "./open-memory.ts";
export {
  type Envelope,
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
