export {
  type Envelope,
  type MessageDraft,
  type MessageFacts,
  type MessagePage,
  type MessageScan,
  type RawMessage,
  type Store,
  StoreError,
  type StoreErrorCode,
  type StoreStats,
} from "./store.ts";
