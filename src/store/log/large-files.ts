// Large messages have a file each. It comes in under a name of its own, is renamed when its group takes it in,
// and goes with the group that deletes it.
import { renameSync } from "node:fs";
import { join } from "node:path";
import { type BytesUnderWay, DiskBodyFile, removeIfPossible } from "./body-file.ts";
import { type DataDir, largePath, listLarge } from "./data-dir.ts";
import { syncFolder } from "./disk.ts";
import { kindOf } from "./file-kind.ts";
import type { BodyFile } from "./log.ts";
import type { Removals } from "./removals.ts";
import type { Room } from "./room.ts";
import type { Durability } from "./segment-files.ts";

export interface LargeFilesOptions {
  readonly dir: DataDir;
  readonly salt: number;
  readonly durability: Durability;
  readonly room: Room;
  readonly removals: Removals;
}

interface LargeFile {
  readonly path: string;
  readonly size: number;
}

export class LargeFiles {
  readonly #options: LargeFilesOptions;
  #bytes: number;
  /** What the group in hand adds and removes. */
  #added: LargeFile[] = [];
  #removed: LargeFile[] = [];
  #removesAll = false;
  /** What the group in hand has renamed, to be undone. */
  #renamed: { from: string; to: string }[] = [];
  #opened = 0;
  readonly #underWay: BytesUnderWay = { bytes: 0 };
  #folderChanged = true;

  constructor(options: LargeFilesOptions, bytes: number) {
    this.#options = options;
    this.#bytes = bytes;
  }

  /** Bytes of those that are there. */
  get bytes(): number {
    return this.#bytes;
  }

  open(): BodyFile {
    const { dir, salt, durability, room } = this.#options;
    const path = join(dir.incoming, `${++this.#opened}.part`);
    return new DiskBodyFile(path, salt, durability === "disk", this.#underWay, room);
  }

  add(id: string, { path, size }: LargeFile): void {
    const place = largePath(this.#options.dir, id);
    renameSync(path, place);
    this.#renamed.push({ from: path, to: place });
    this.#added.push({ path: place, size });
    this.#folderChanged = true;
  }

  remove(id: string, size: number): void {
    this.#removed.push({ path: largePath(this.#options.dir, id), size });
  }

  /** While their folder is away as well: should they come back with it, the next start removes them. */
  removeAll(): void {
    const { dir } = this.#options;
    this.#removesAll = true;
    this.#removed = this.#isFolderThere ? listLarge(dir).map(({ path }) => ({ path, size: 0 })) : [];
    this.#added = [];
  }

  /** Each is where it came from again: its group may be tried once more. */
  discard(): void {
    for (const { from, to } of this.#renamed) putBack(from, to);
    this.#endGroup();
  }

  settle(): void {
    for (const { path } of this.#removed) this.#options.removals.add(path);
    this.#bytes = this.#removesAll ? 0 : this.#bytes - sum(this.#removed);
    this.#bytes += sum(this.#added);
    this.#endGroup();
  }

  /**
   * Makes the names safe from a power cut; the bytes are since the file was finished. A group that adds none can do
   * without the folder.
   */
  syncFolder(): void {
    if (!this.#folderChanged || (this.#added.length === 0 && !this.#isFolderThere)) return;
    syncFolder(this.#options.dir.large);
    this.#folderChanged = false;
  }

  get #isFolderThere(): boolean {
    return kindOf(this.#options.dir.large) === "a folder";
  }

  #endGroup(): void {
    this.#added = [];
    this.#removed = [];
    this.#removesAll = false;
    this.#renamed = [];
  }
}

/** What is of no use in either place must not look like a message. */
function putBack(from: string, to: string): void {
  try {
    renameSync(to, from);
  } catch {
    removeIfPossible(to);
  }
}

const sum = (files: readonly LargeFile[]): number => files.reduce((total, { size }) => total + size, 0);
