// A disk that fails on request.
import { type Disk, realDisk } from "../../src/store/log/disk.ts";

export interface FaultyDisk {
  readonly disk: Disk;
  /** The error of the calls that fail; null for none. A write that fails has written half of its bytes. */
  fails: { readonly at: keyof Disk | readonly (keyof Disk)[]; readonly code: string } | null;
  /** Each call writes only a few bytes, so the caller must continue. */
  writesInPieces: boolean;
}

export function faultyDisk(): FaultyDisk {
  const failIf = (call: keyof Disk) => {
    if (faulty.fails === null || ![faulty.fails.at].flat().includes(call)) return;
    throw Object.assign(new Error("injected"), { code: faulty.fails.code });
  };
  const faulty: FaultyDisk = {
    fails: null,
    writesInPieces: false,
    disk: {
      write(fd, bytes, position) {
        if (faulty.writesInPieces) return realDisk.write(fd, bytes.subarray(0, 7), position);
        if (faulty.fails !== null) realDisk.write(fd, bytes.subarray(0, bytes.length / 2), position);
        failIf("write");
        return realDisk.write(fd, bytes, position);
      },
      cut(fd, size) {
        failIf("cut");
        realDisk.cut(fd, size);
      },
      async sync(fd) {
        failIf("sync");
        await realDisk.sync(fd);
      },
    },
  };
  return faulty;
}
