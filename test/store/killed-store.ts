// A separate process that changes a store as fast as it can and reports every acknowledged change on stdout, until it
// is killed. Arguments: folder, durability, a number that makes its mails distinct.
import { writeSync } from "node:fs";
import { mail, openFiles, put } from "./open.ts";

const [dir = "", durability = "os", round = "0"] = process.argv.slice(2);
const store = await openFiles(dir, {
  durability: durability as "os" | "disk",
  segmentBytes: 20_000,
  largeBytes: 3000,
});
// Written synchronously, because a deletion must be announced before the store knows of it.
const say = (line: string) => writeSync(1, `${line}\n`);
say("ready");

async function change(worker: number): Promise<void> {
  for (let i = 0; ; i++) {
    const subject = `r${round}w${worker}i${i}`;
    const size = i % 7 === 6 ? 4000 : 100;
    const { id } = await put(store, mail(subject, "x".repeat(size)));
    say(`stored ${id} ${subject} ${size}`);
    if (i % 3 === 1) {
      await store.update([id], { is_starred: true, tags: [subject] });
      say(`starred ${id}`);
    }
    if (i % 4 === 2) {
      say(`deleting ${id}`);
      await store.delete([id]);
      say(`deleted ${id}`);
    }
  }
}
await Promise.all(Array.from({ length: 8 }, (_, worker) => change(worker)));
