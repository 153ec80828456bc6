// Copies of the indexes, for a folder in which nothing can be written: to read its files SQLite must write beside them.
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { DataDir } from "../log/data-dir.ts";
import { kindOf } from "../log/file-kind.ts";
import { sealPath } from "../seal.ts";
import { StoreError } from "../store.ts";

export interface IndexCopies extends Disposable {
  readonly paths: Pick<DataDir, "rows" | "search">;
}

export function copyIndexes({ rows, search }: DataDir): IndexCopies {
  const folder = mkdtempSync(join(tmpdir(), "mailkeep-indexes-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const copy = (path: string): string => {
    for (const file of [path, `${path}-wal`, sealPath(path)])
      if (kindOf(file) === "a file") copyFileSync(file, join(folder, basename(file)));
    return join(folder, basename(path));
  };
  try {
    return { paths: { rows: copy(rows), search: copy(search) }, [Symbol.dispose]: remove };
  } catch (cause) {
    remove();
    const reason = (cause as Error).message;
    throw new StoreError("io_error", `the indexes cannot be copied to ${folder}, to be checked: ${reason}`, {
      cause,
    });
  }
}
