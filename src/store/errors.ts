// Turns errors of the disk and of SQLite into errors of the store.
import { systemReason } from "../lib/system-error.ts";
import { StoreError } from "./store.ts";

type Named = Pick<StoreError, "code" | "message">;

const FAILING: Named = { code: "disk_failing", message: "the disk reports an I/O error" };
const DAMAGED: Named = {
  code: "index_damaged",
  message: "the index is damaged and will be rebuilt at the next start",
};
const CODES: Readonly<Record<string, Named>> = {
  ENOSPC: { code: "disk_full", message: "the disk is full" },
  EDQUOT: { code: "disk_full", message: "the disk quota is used up" },
  EFBIG: { code: "disk_full", message: "the file has become too big" },
  SQLITE_FULL: { code: "disk_full", message: "the disk is full" },
  EIO: FAILING,
  ENXIO: FAILING,
  ENODEV: FAILING,
  ESTALE: FAILING,
  SQLITE_IOERR: FAILING,
  SQLITE_CORRUPT: DAMAGED,
  SQLITE_NOTADB: DAMAGED,
  SQLITE_CONSTRAINT: DAMAGED,
  SQLITE_ERROR: DAMAGED,
  EROFS: { code: "read_only", message: "the disk is read-only" },
  EACCES: { code: "read_only", message: "permission denied" },
  EPERM: { code: "read_only", message: "permission denied" },
  SQLITE_READONLY: { code: "read_only", message: "the disk is read-only" },
};

/** SQLite's longer codes, such as SQLITE_IOERR_WRITE, begin with the general code. */
const GENERAL_CODE = /^SQLITE_[A-Z]+/;

export function asStoreError(cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  const { code = "", message = String(cause) } = (cause ?? {}) as { code?: string; message?: string };
  const known = CODES[code] ?? CODES[GENERAL_CODE.exec(code)?.[0] ?? ""];
  if (known !== undefined) return new StoreError(known.code, known.message, { cause });
  return new StoreError("io_error", message, { cause });
}

export const indexDamaged = (): StoreError => new StoreError(DAMAGED.code, DAMAGED.message);

export const diskFull = (): StoreError => new StoreError("disk_full", "the disk is full");

export const isDiskFull = (error: unknown): boolean => asStoreError(error).code === "disk_full";

export const closedError = (): StoreError => new StoreError("closed", "the store is closed");

export function unusable(folder: string, cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  const { code, message } = asStoreError(cause);
  const reason = code === "io_error" ? systemReason(cause) : message;
  return new StoreError("data_dir_unusable", `${folder} cannot be used: ${reason}`, { cause });
}
