import { expect, test } from "bun:test";
import { silentLogger } from "../../src/lib/logger.ts";
import { openMemoryStore } from "../../src/store/index.ts";

test("a committed mail is listed with its facts and read back byte for byte", async () => {
  const store = await openMemoryStore({
    startScan: () => ({ push: () => {}, finish: () => ({ subject: "hello", has_attachments: false }) }),
    startSearchWorker: () => {
      throw new Error("no search here");
    },
    now: () => new Date(1000),
    logger: silentLogger,
  });
  const draft = store.begin({ sender: "a@example.com", recipients: ["b@example.com"] });
  draft.append(new TextEncoder().encode("Subject: hello\r\n\r\nbody\r\n"));
  const summary = await draft.commit();
  expect(await store.list({ filter: {}, limit: 50 })).toEqual({
    messages: [summary],
    total: 1,
    next_cursor: null,
  });
  const raw = await store.raw(summary.id);
  expect(new TextDecoder().decode(await raw?.bytes())).toBe("Subject: hello\r\n\r\nbody\r\n");
  expect(await store.update([summary.id], { tags: ["x"], is_read: true })).toEqual([
    { ...summary, tags: ["x"], is_read: true },
  ]);
  expect(await store.count({ tags: ["x", "y"] })).toBe(1);
  expect(await store.clear()).toBe(1);
  expect(await store.count({})).toBe(0);
  await store.close();
});
