// Packs an executable and its documents into the archive that people download.
import type { ArchiveOptions } from "./archive-entry.ts";
import { tarGz } from "./tar.ts";
import type { ReleaseTarget } from "./targets.ts";
import { zip } from "./zip.ts";

export interface Package {
  readonly target: ReleaseTarget;
  readonly version: string;
  readonly executable: Uint8Array;
  /** LICENSE and README.md, by name. */
  readonly documents: Readonly<Record<string, Uint8Array>>;
}

/** `mailkeep-0.1.0-linux-arm64` */
export const baseName = (version: string, { name }: ReleaseTarget): string => `mailkeep-${version}-${name}`;

export function packageFile(version: string, target: ReleaseTarget): string {
  return `${baseName(version, target)}.${target.archive}`;
}

export function pack(
  { target, version, executable, documents }: Package,
  options: ArchiveOptions,
): Uint8Array {
  const folder = baseName(version, target);
  const entries = [
    { path: `${folder}/${target.executable}`, bytes: executable, isExecutable: true },
    ...Object.entries(documents).map(([name, bytes]) => ({
      path: `${folder}/${name}`,
      bytes,
      isExecutable: false,
    })),
  ];
  return target.archive === "zip" ? zip(entries, options) : tarGz(entries, options);
}
