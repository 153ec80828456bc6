// What a store in files does for itself: mail whose body is gone leaves the mailbox, the log and the rows are looked
// at for damage, and the space of deleted mail is won back.
import { Checker } from "./log/checker.ts";
import { Compactor } from "./log/compactor.ts";
import { largePath } from "./log/data-dir.ts";
import type { FileBodies } from "./log/file-bodies.ts";
import type { FileLog } from "./log/file-log.ts";
import type { RecoveryOptions } from "./log/recovery.ts";
import type { Reserve } from "./log/reserve.ts";
import type { MailStore } from "./mail-store.ts";
import type { OpenRows } from "./open-rows.ts";
import type { MessageRow } from "./rows/row.ts";
import { RowsChecker } from "./rows-checker.ts";
import type { RowsDatabase } from "./rows-database.ts";
import type { SearchClient } from "./search/search-client.ts";

export interface UpkeepParts {
  readonly store: MailStore;
  readonly log: FileLog;
  readonly bodies: FileBodies;
  readonly rowsDatabase: RowsDatabase;
  readonly search: SearchClient;
  readonly reserve: Reserve;
  readonly segmentBytes: number;
  /** How the folder was found at the start. */
  readonly recovery: RecoveryOptions;
  readonly recovered: OpenRows;
}

export class Upkeep {
  readonly #parts: UpkeepParts;
  readonly #compactor: Compactor;
  readonly #checker: Checker;
  readonly #rowsChecker: RowsChecker;

  constructor(parts: UpkeepParts) {
    const { store, log, bodies, search, reserve, segmentBytes, recovery, recovered } = parts;
    const { dir, salt, logger } = recovery;
    const { rows, isNew } = recovered;
    const healIndex = (cause: unknown) => store.heal(cause);
    this.#parts = parts;
    this.#compactor = new Compactor({
      dir,
      salt,
      log,
      rows,
      logger,
      minDeadBytes: segmentBytes >> 4,
      maxMergedBytes: segmentBytes >> 3,
      between: (run) => store.between(run),
      searchSettled: () => search.settled(),
      onReserve: (run) => reserve.lend(run),
      healIndex,
      searchLife: () => search.life,
    });
    this.#checker = new Checker({
      dir,
      salt,
      segments: log.segments,
      bodies,
      rows,
      logger,
      // Rows that were just made from the log know nothing that it does not say; and a file that was cut can be put back.
      rewriteUpTo: (segment) => isNew || this.#compactor.rewriteUpTo(segment),
      setAside: (damaged) => store.setAside(damaged),
      healIndex: () => healIndex("it does not fit the log"),
      isSound: (seq) => store.isSound(seq),
    });
    this.#rowsChecker = new RowsChecker({ rows, healIndex });
  }

  /** Resolves when the store may serve; the rest comes in the background. */
  async start(): Promise<void> {
    const { recovery, recovered } = this.#parts;
    await this.#takeOutLost(recovered.large.lost);
    if (!recovery.anew) await this.#checkLog();
    this.#rowsChecker.start(recovered.isSealed || recovered.isNew);
    this.#compactor.poke();
  }

  /** Messages were deleted or changed: there may be space to win back. */
  freed(): void {
    this.#compactor.poke();
  }

  compact(): Promise<void> {
    return this.#compactor.run();
  }

  async stop(): Promise<void> {
    this.#checker.stop();
    this.#rowsChecker.stop();
    await this.#compactor.stop();
  }

  /** A message without its body leaves the mailbox; on a full disk, at a later start. */
  async #takeOutLost(lost: readonly MessageRow[]): Promise<void> {
    const { store, bodies, rowsDatabase, recovery } = this.#parts;
    const { dir, logger } = recovery;
    if (lost.some((row) => bodies.contradicts([row]))) return rowsDatabase.rebuild();
    for (const row of lost)
      logger.error("large_body_missing", {
        id: row.id,
        copy: bodies.keepAside(row),
        advice: `to have the mail back, put ${largePath(dir, row.id)} back and start again`,
      });
    if (lost.length > 0)
      await store
        .setAside(lost)
        .catch((error) => logger.warn("large_body_kept_listed", { reason: String(error) }));
  }

  /** Takes out what is damaged, so it is not for who only wants new indexes. */
  async #checkLog(): Promise<void> {
    await this.#checker.checkNewest();
    this.#checker.checkRest();
  }
}
