// A power cut: the disk keeps synced bytes and loses the rest. With durability "disk" everything that was
// acknowledged is synced, at any moment.
import { expect, test } from "bun:test";
import { cpSync, fstatSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { MessageSummary } from "../../src/model/index.ts";
import { type Disk, realDisk } from "../../src/store/log/disk.ts";
import { useFolders } from "../support/folders.ts";
import { compact, mail, namesIn, put, rawOf } from "./open.ts";
import { openQuick } from "./search-in-process.ts";

const freshFolder = useFolders();
const SMALL = { segmentBytes: 3000, largeBytes: 1000 };

/**
 * Records the synced bytes of each segment. The first write counts as synced, because a new segment
 * is synced before it gets its name.
 */
function recordingDisk(dir: string) {
  const synced = new Map<number, Buffer>();
  const disk: Disk = {
    ...realDisk,
    write: (fd, bytes, position) => {
      const { ino, size } = fstatSync(fd);
      if (size === 0) synced.set(ino, Buffer.from(bytes));
      return realDisk.write(fd, bytes, position);
    },
    sync: async (fd) => {
      const { ino, size } = fstatSync(fd);
      const bytes = readFileSync(`/proc/self/fd/${fd}`).subarray(0, size);
      await realDisk.sync(fd);
      synced.set(ino, bytes);
    },
  };
  /** Makes a folder with the state after a power cut at this moment. */
  const cutPower = (): string => {
    const copy = freshFolder();
    cpSync(join(dir, "format.json"), join(copy, "format.json"));
    cpSync(join(dir, "large"), join(copy, "large"), { recursive: true });
    mkdirSync(join(copy, "log"));
    for (const name of namesIn(dir, "log").filter((name) => name.endsWith(".seg"))) {
      const path = join(dir, "log", name);
      writeFileSync(join(copy, "log", name), synced.get(statSync(path).ino) ?? readFileSync(path));
    }
    return copy;
  };
  return { disk, cutPower };
}

test.skipIf(process.platform !== "linux")(
  "mail acknowledged with durability disk is there after a power cut (looks into /proc)",
  async () => {
    const dir = freshFolder();
    const { disk, cutPower } = recordingDisk(dir);
    const store = await openQuick(dir, { ...SMALL, durability: "disk", disk });
    /** The state at each acknowledgement, and the mails that must be in it. */
    const cuts: { folder: string; acknowledged: Map<string, MessageSummary> }[] = [];
    const model = new Map<string, MessageSummary>();
    const acknowledge = () => cuts.push({ folder: cutPower(), acknowledged: new Map(model) });
    const receive = async (name: string, bytes: number) => {
      const summary = await put(store, mail(name, "x".repeat(bytes)));
      model.set(summary.id, summary);
      acknowledge();
      return summary.id;
    };

    const ids = await Promise.all([100, 2000, 300, 1500, 10].map((bytes, n) => receive(`group${n}`, bytes)));
    for (let n = 0; n < 12; n++) ids.push(await receive(`m${n}`, n % 4 === 3 ? 1500 : 400));
    for (const changed of await store.update(ids.slice(2, 6), { is_read: true, tags: ["t"] }))
      model.set(changed.id, changed);
    acknowledge();
    for (const id of await store.delete(ids.slice(4, 14))) model.delete(id);
    acknowledge();
    await compact(store);
    acknowledge();
    await receive("late", 100);
    await store.clear();
    model.clear();
    acknowledge();
    await receive("last", 1500);
    await store.close();

    for (const [step, { folder, acknowledged }] of cuts.entries()) {
      const again = await openQuick(folder, SMALL);
      const left = new Map(
        (await again.list({ filter: {}, limit: 100 })).messages.map((one) => [one.id, one]),
      );
      for (const [id, summary] of acknowledged) {
        expect({ step, found: left.get(id) }).toEqual({ step, found: summary });
        expect((await rawOf(again, id))?.length).toBe(summary.size);
      }
      // The first five mails were written together, so a cut may show mails not yet acknowledged.
      if (step >= 5) expect({ step, count: left.size }).toEqual({ step, count: acknowledged.size });
      await again.close();
    }
    expect(cuts.length).toBeGreaterThan(20);
  },
);
