// Bearer tokens on a real store.
import { expect, jest, test } from "bun:test";
import { Tokens } from "../../src/app/index.ts";
import { openMemory } from "../store/open.ts";

const DAY_MS = 24 * 60 * 60_000;

test("a token that outlives the longest possible timer ends its waits when it expires, not before", async () => {
  const store = await openMemory();
  let ms = Date.parse("2026-01-01T00:00:00.000Z");
  const tokens = await Tokens.open(store, () => new Date(ms));
  const expiresAt = new Date(ms + 40 * DAY_MS);
  const { token } = await tokens.create({ name: null, role: "read", inboxes: null, expiresAt });
  const pass = (days: number) => {
    ms += days * DAY_MS;
    jest.advanceTimersByTime(days * DAY_MS);
  };
  jest.useFakeTimers();
  try {
    const ended = tokens.callerOf(token)?.ended;
    pass(30);
    expect(ended?.aborted).toBe(false);
    pass(11);
    expect(ended?.aborted).toBe(true);
  } finally {
    jest.useRealTimers();
  }
  await store.close();
});
