// `mailkeep reindex`: throws both indexes away and builds them anew from the log, to the end.
import { dataDir } from "./log/data-dir.ts";
import { assertStoreIn } from "./log/places.ts";
import { type FileStoreOptions, openFileStore } from "./open-file.ts";

/** Answers with the number of messages. */
export async function reindexStore(options: Omit<FileStoreOptions, "reindex">): Promise<number> {
  assertStoreIn(dataDir(options.dir));
  const store = await openFileStore({ ...options, reindex: true });
  try {
    // A search waits for everything stored before it.
    await store.count({ q: "everything indexed" });
    return await store.count({});
  } finally {
    await store.close();
  }
}
