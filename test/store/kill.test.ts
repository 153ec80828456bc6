// kill -9 in a loop: every acknowledged change is there after the next start.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { verifyStore } from "../../src/store/index.ts";
import { useFolders } from "../support/folders.ts";
import { mail, openFiles, rawOf } from "./open.ts";

const freshFolder = useFolders();
const CHILD = join(import.meta.dir, "killed-store.ts");

/** Kills a child once it has printed `lines` lines, and returns all the lines it printed. */
async function killAfter(dir: string, durability: string, round: number, lines: number): Promise<string[]> {
  const child = Bun.spawn([process.execPath, CHILD, dir, durability, String(round)], {
    stdout: "pipe",
    stderr: "inherit",
  });
  let text = "";
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.split("\n").length > lines) child.kill("SIGKILL");
  }
  await child.exited;
  // The kill may cut the last line short, so it does not count.
  return text.split("\n").slice(0, -1);
}

test.each(["os", "disk"])("stored mail is there, deleted mail is not, durability %s", async (durability) => {
  const dir = freshFolder();
  const stored = new Map<string, { subject: string; size: number }>();
  const [starred, deleted, perhaps] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (let round = 0; round < 3; round++) {
    for (const line of await killAfter(dir, durability, round, 100 + round * 60)) {
      const [verb = "", id = "", subject = "", size = "0"] = line.split(" ");
      if (verb === "stored") stored.set(id, { subject, size: Number(size) });
      if (verb === "starred") starred.add(id);
      if (verb === "deleting") perhaps.add(id);
      if (verb === "deleted") deleted.add(id);
    }
    const store = await openFiles(dir);
    for (const [id, { subject, size }] of stored) {
      const summary = await store.get(id);
      if (deleted.has(id)) expect({ id, summary }).toEqual({ id, summary: null });
      else if (!perhaps.has(id)) {
        expect(summary).toMatchObject({
          id,
          subject,
          ...(starred.has(id) && { is_starred: true, tags: [subject] }),
        });
        expect(new TextDecoder().decode((await rawOf(store, id)) ?? undefined)).toBe(
          mail(subject, "x".repeat(size)),
        );
        expect({ id, n: await store.count({ q: `"${subject}"` }) }).toEqual({ id, n: 1 });
      }
    }
    await store.close();
    expect((await verifyStore({ dir })).problems).toEqual([]);
  }
  expect(stored.size).toBeGreaterThan(50);
});
