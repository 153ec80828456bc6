// Opens stores for tests, with the real scan and the real search thread.
import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { silentLogger } from "../../src/lib/logger.ts";
import type { Envelope } from "../../src/lib/smtp.ts";
import { startScan } from "../../src/mime/index.ts";
import {
  type FileStoreOptions,
  openFileStore,
  openMemoryStore,
  openPostgresStore,
  type PostgresStoreOptions,
  type Store,
} from "../../src/store/index.ts";
import type { MailStoreParts } from "../../src/store/mail-store.ts";

export const startSearchWorker = () =>
  new Worker(new URL("../../src/worker/search-worker.ts", import.meta.url).href);

export const commonOptions = {
  startScan,
  startSearchWorker,
  now: () => new Date(),
  logger: silentLogger,
};

export const openFiles = (dir: string, options: Partial<FileStoreOptions> = {}): Promise<Store> =>
  openFileStore({ ...commonOptions, durability: "os", dir, ...options });

export const openMemory = (options: Partial<typeof commonOptions> = {}): Promise<Store> =>
  openMemoryStore({ ...commonOptions, ...options });

export const openNode = (
  url: string,
  dir: string,
  options: Partial<PostgresStoreOptions> = {},
): Promise<Store> => openPostgresStore({ ...commonOptions, url, dir, ...options });

const ENVELOPE: Envelope = { sender: "alice@example.com", recipients: ["bob@example.com"] };

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

export function mail(subject: string, body = "Hello", headers = ""): string {
  return `Subject: ${subject}\r\n${headers}\r\n${body}\r\n`;
}

export async function put(
  store: Store,
  raw: string | Uint8Array,
  { inbox, ...envelope }: Partial<Envelope> & { inbox?: string } = {},
) {
  const draft = store.begin({ ...ENVELOPE, ...envelope });
  draft.append(typeof raw === "string" ? bytesOf(raw) : raw);
  return draft.commit([], inbox);
}

export async function rawOf(store: Store, id: string): Promise<Uint8Array | null> {
  const raw = await store.raw(id);
  return raw === null ? null : raw.bytes();
}

/** Newest first, at most 200. */
export const subjectsOf = async (store: Store): Promise<string[]> =>
  (await store.list({ filter: {}, limit: 200 })).messages.map(({ subject }) => subject);

/** The code of the failure; "none" if the promise is fulfilled. */
export const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "none",
    (error) => error.code,
  );

/** Frees the space of deleted messages now. The store does this in the background. */
export async function compact(store: Store): Promise<void> {
  await (store as unknown as { readonly parts: MailStoreParts }).parts.compactor?.run();
}

/** Copies the folder as a kill at this moment would leave it. */
export function copyTo(fresh: string, dir: string): string {
  cpSync(dir, fresh, { recursive: true });
  return fresh;
}

export function namesIn(dir: string, folder: string): string[] {
  try {
    return readdirSync(join(dir, folder)).sort();
  } catch (error) {
    // The S3 server removes a folder with its last file.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
