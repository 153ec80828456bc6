// One file of a download. Archives are the same bytes whenever they are made from the same files.

export interface ArchiveEntry {
  /** With slashes, relative. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly isExecutable: boolean;
}

/** The time of every entry: that of the commit, so a download does not depend on when it was made. */
export interface ArchiveOptions {
  readonly modified: Date;
}
