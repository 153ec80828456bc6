// The input of an archive for download. The same input always makes the same bytes.

export interface ArchiveEntry {
  /** Relative, with slashes. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly isExecutable: boolean;
}

export interface ArchiveOptions {
  /** The time of every entry: the time of the commit, so that a later build makes the same bytes. */
  readonly modified: Date;
}
