// Names failures of the disk and of SQLite in the words of the store; the cause stays attached.
import { StoreError, type StoreErrorCode } from "./store.ts";

interface Named {
  readonly code: StoreErrorCode;
  readonly message: string;
}

const FAILING: Named = { code: "disk_failing", message: "the disk fails" };
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
  EROFS: { code: "read_only", message: "the disk is read-only" },
  EACCES: { code: "read_only", message: "permission denied" },
  EPERM: { code: "read_only", message: "permission denied" },
  SQLITE_READONLY: { code: "read_only", message: "the disk is read-only" },
};

/** What SQLite says in more detail, as in SQLITE_IOERR_WRITE, begins with this. */
const GENERAL_CODE = /^SQLITE_[A-Z]+/;

export function asStoreError(cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  const { code = "", message = String(cause) } = (cause ?? {}) as { code?: string; message?: string };
  const known = CODES[code] ?? CODES[GENERAL_CODE.exec(code)?.[0] ?? ""];
  if (known !== undefined) return new StoreError(known.code, known.message, { cause });
  return new StoreError("io_error", message, { cause });
}

/** What is refused for want of room before it is even tried. */
export const diskFull = (): StoreError => new StoreError("disk_full", "the disk is full");

export const isDiskFull = (error: unknown): boolean => asStoreError(error).code === "disk_full";

/** A data folder that cannot be used at all: one clear line for a person. */
export function unusable(folder: string, cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  const { code, message } = asStoreError(cause);
  const reason = code === "io_error" ? String((cause as Error).message) : message;
  return new StoreError("data_dir_unusable", `${folder} cannot be used: ${reason}`, { cause });
}

const DAMAGE = /^SQLITE_(CORRUPT|NOTADB|IOERR|CONSTRAINT)/;

/** The index cannot be read any more, or holds what nobody put there: the log can mend that. */
export const isIndexDamage = (error: unknown): boolean =>
  DAMAGE.test(String((error as { code?: unknown } | null)?.code ?? ""));

/** The index contradicts itself or the log, though SQLite found nothing wrong with it. */
export class WrongIndex extends Error {
  readonly code = "SQLITE_CORRUPT";
}
