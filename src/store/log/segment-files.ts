// The segment files of the log: which there are, the active one that is written on, descriptors for reading.
// What a failed write left behind is taken away before the next one. What the records say is not known here.
import { closeSync, openSync, readdirSync, readSync, rmSync } from "node:fs";
import { basename } from "node:path";
import type { Logger } from "../../lib/logger.ts";
import { StoreError } from "../store.ts";
import type { DataDir } from "./data-dir.ts";
import { type Disk, syncFolder } from "./disk.ts";
import { HeldFile } from "./held-file.ts";
import type { Removals } from "./removals.ts";
import { type Segment, type SegmentName, segmentPath } from "./segment.ts";
import { SegmentReaders } from "./segment-readers.ts";

export type Durability = "os" | "disk";

export interface SegmentFilesOptions {
  readonly dir: DataDir;
  readonly disk: Disk;
  readonly removals: Removals;
  readonly logger: Logger;
  /** The highest number of a segment that may yet be put back; 0 without any. Its name must stay free. */
  readonly lastMissing: number;
}

export class SegmentFiles {
  readonly #options: SegmentFilesOptions;
  readonly #segments = new Map<number, Segment>();
  readonly #readers = new SegmentReaders();
  #active: Segment;
  #activeFile: HeldFile;
  /** The active segment may hold bytes of a group that was refused. */
  #dirtyTail = false;
  /** Created for a group that was refused, or written by half. */
  #unwanted: Segment | null = null;
  #folderChanged = true;
  /** Files that are not of the log, until they are known to be gone. */
  readonly #leaving = new Set<string>();

  /** `found` is what recovery found on disk, in order; the last one is written on. `start` begins a new one. */
  constructor(options: SegmentFilesOptions, found: readonly Segment[], start: () => Uint8Array) {
    this.#options = options;
    for (const segment of found) this.#segments.set(segment.number, segment);
    const last = found.at(-1);
    const { lastMissing } = options;
    const isNewest = last !== undefined && last.number > lastMissing;
    this.#active = isNewest ? last : this.create(Math.max(last?.number ?? 0, lastMissing) + 1, start());
    this.#segments.set(this.#active.number, this.#active);
    this.#activeFile = this.#open(this.#active);
  }

  get active(): Segment {
    return this.#active;
  }

  get(number: number): Segment | undefined {
    return this.#segments.get(number);
  }

  /** In the order of the log. */
  all(): Segment[] {
    return [...this.#segments.values()].sort((a, b) => a.number - b.number);
  }

  size(): number {
    let bytes = 0;
    for (const { size } of this.#segments.values()) bytes += size;
    return bytes;
  }

  path(name: SegmentName): string {
    return segmentPath(this.#options.dir.log, name);
  }

  /** Fills the buffer from a place in a segment; answers with the number of bytes that were there. */
  read(segment: Segment, buffer: Buffer, at: number): number {
    const isActive = segment.number === this.#active.number;
    const fd = isActive ? this.#activeFile.fd : this.#readerOf(segment);
    return readSync(fd, buffer, 0, buffer.length, at);
  }

  /** Throws when a file is gone, which need not be the active one. */
  assertAllInPlace(): void {
    const names = new Set(readdirSync(this.#options.dir.log));
    for (const segment of this.#segments.values())
      if (!names.has(basename(this.path(segment)))) throw this.#gone(segment);
  }

  /** Writes behind the end of the active segment; answers with what it is once that is settled by `grow`. */
  append(bytes: Uint8Array): Segment {
    this.cleanUp();
    this.#dirtyTail = true;
    this.#writeAll(this.#activeFile.fd, bytes, this.#active.size);
    return { ...this.#active, size: this.#active.size + bytes.length };
  }

  /** Throws when the file of the active segment has been removed: what is written to it goes nowhere. */
  assertInPlace(): void {
    this.#activeFile.assertInPlace();
  }

  /** The same, by a look that may be a moment old. */
  assertLatelyInPlace(): void {
    this.#activeFile.assertLatelyInPlace();
  }

  grow(active: Segment): void {
    this.#setActive(active);
    this.#dirtyTail = false;
  }

  /** Takes away what a refused group may have left. Where that fails nothing can be written. */
  cleanUp(): void {
    this.#removeUnwanted();
    if (this.#dirtyTail) this.#options.disk.cut(this.#activeFile.fd, this.#active.size);
    this.#dirtyTail = false;
  }

  /** Writes a new segment, which does not count before `switchTo` or `startOver`. */
  create(number: number, bytes: Uint8Array): Segment {
    this.cleanUp();
    const segment = { number, generation: 0, size: bytes.length };
    const fd = this.#options.disk.create(this.path(segment));
    try {
      this.#writeAll(fd, bytes, 0);
    } catch (error) {
      this.remove(segment);
      throw error;
    } finally {
      closeSync(fd);
    }
    this.#folderChanged = true;
    return segment;
  }

  /** Takes back what was created. */
  remove(created: Segment): void {
    this.#unwanted = created;
    try {
      this.#removeUnwanted();
    } catch {
      // Tried again before the next write.
    }
  }

  /** Seals the active segment and goes on with this one. */
  switchTo(segment: Segment): void {
    const file = this.#open(segment);
    this.#activeFile.close();
    this.#activeFile = file;
    this.#setActive(segment);
  }

  /** Goes on with this segment and drops all others. */
  startOver(segment: Segment): void {
    const dropped = [...this.#segments.keys()];
    this.switchTo(segment);
    for (const number of dropped) this.drop(number);
    this.#dirtyTail = false;
  }

  /** A compaction has put a new generation of this segment in place. */
  replace(segment: Segment): void {
    this.drop(segment.number);
    this.#segments.set(segment.number, segment);
  }

  drop(number: number): void {
    const segment = this.#segments.get(number);
    if (segment === undefined) return;
    this.#readers.forget(number);
    this.#segments.delete(number);
    const path = this.path(segment);
    this.#leaving.add(path);
    this.#options.removals.add(path, () => {
      // In a folder that was moved away the file is still there, though nothing has failed.
      this.assertInPlace();
      this.#leaving.delete(path);
    });
  }

  /** A compaction has put this one in place, but the log does not go on with it. */
  takeAway(rewritten: Segment): void {
    const path = this.path(rewritten);
    try {
      rmSync(path, { force: true });
    } catch {
      this.#leaving.add(path);
    }
  }

  /** Rejects when a file of what was dropped is still there: what was deleted in it may not be forgotten yet. */
  async assertLeft(): Promise<void> {
    for (const path of this.#leaving) {
      // In a folder that was put in the place of ours it is a file of somebody else's log.
      this.assertInPlace();
      await this.#options.disk.remove(path);
      this.#leaving.delete(path);
    }
  }

  /** Resolves when the disk has confirmed what was written to the active segment, or to one that was created. */
  async sync(segment: Segment): Promise<void> {
    const { disk } = this.#options;
    if (this.#folderChanged) this.#syncFolders();
    if (segment.number === this.#active.number) {
      await disk.sync(this.#activeFile.fd);
      return;
    }
    const fd = openSync(this.path(segment), "r+");
    await disk.sync(fd).finally(() => closeSync(fd));
  }

  closeReaders(): void {
    this.#readers.closeAll();
  }

  close(): void {
    this.#activeFile.close();
  }

  #readerOf(segment: Segment): number {
    try {
      return this.#readers.get(segment.number, () => this.path(segment));
    } catch (error) {
      if ((error as { code?: unknown }).code !== "ENOENT") throw error;
      throw this.#gone(segment, error);
    }
  }

  /** It may come back: nothing is taken out for it. */
  #gone(segment: Segment, cause?: unknown): StoreError {
    const name = basename(this.path(segment));
    return new StoreError("data_dir_unusable", `${name} of the log is gone from the data folder`, { cause });
  }

  #open(segment: Segment): HeldFile {
    return new HeldFile(this.path(segment), "log", this.#options.logger);
  }

  #setActive(segment: Segment): void {
    this.#active = segment;
    this.#segments.set(segment.number, segment);
  }

  #removeUnwanted(): void {
    if (this.#unwanted !== null) rmSync(this.path(this.#unwanted), { force: true });
    this.#unwanted = null;
  }

  #writeAll(fd: number, bytes: Uint8Array, position: number): void {
    const { disk } = this.#options;
    let done = disk.write(fd, bytes, position);
    while (done < bytes.length) done += disk.write(fd, bytes.subarray(done), position + done);
  }

  #syncFolders(): void {
    syncFolder(this.#options.dir.root);
    syncFolder(this.#options.dir.log);
    this.#folderChanged = false;
  }
}
