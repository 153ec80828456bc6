// A disk with a switch: it fails where and how it is told to.
import { type Disk, realDisk } from "../../src/store/log/disk.ts";

export interface DiskFault {
  /** `write`: only half is written. `sync`: all is, but the disk does not confirm it. */
  readonly at: "write" | "sync";
  readonly code: string;
}

export interface FaultyDisk {
  readonly disk: Disk;
  fault: DiskFault | null;
  /** What is behind the end of a file stays there. */
  cannotCut: boolean;
  cannotRemove: boolean;
}

export function faultyDisk(): FaultyDisk {
  const failIf = (at: DiskFault["at"]) => {
    if (faulty.fault?.at === at) throw Object.assign(new Error("injected"), { code: faulty.fault.code });
  };
  const faulty: FaultyDisk = {
    fault: null,
    cannotCut: false,
    cannotRemove: false,
    disk: {
      ...realDisk,
      write(fd, bytes, position) {
        if (faulty.fault?.at === "write") realDisk.write(fd, bytes.subarray(0, bytes.length / 2), position);
        failIf("write");
        return realDisk.write(fd, bytes, position);
      },
      cut(fd, size) {
        if (faulty.cannotCut) throw Object.assign(new Error("injected"), { code: "EIO" });
        realDisk.cut(fd, size);
      },
      async remove(path) {
        if (faulty.cannotRemove) throw Object.assign(new Error("injected"), { code: "EIO" });
        await realDisk.remove(path);
      },
      async sync(fd) {
        failIf("sync");
        await realDisk.sync(fd);
      },
    },
  };
  return faulty;
}
