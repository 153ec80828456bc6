// The order in which tasks get a worker.
import { afterAll, expect, test } from "bun:test";
import { TaskPool } from "../../src/mime/task-pool.ts";

const ANSWER_AT_ONCE =
  "onmessage = ({ data }) => postMessage({ id: data.id, output: null }); postMessage('ready');";
const startWorker = () => new Worker(URL.createObjectURL(new Blob([ANSWER_AT_ONCE])));
const pool = new TaskPool({ startWorker, timeoutMs: 10_000 });
afterAll(() => pool.close());

test("the lightest that waits is next: a small mail waited behind all large ones, each of which took seconds", async () => {
  const order: string[] = [];
  const run = (name: string, weight: number) =>
    pool.run("auth", weight, () => {
      order.push(name);
      return new Uint8Array();
    });
  await Promise.all([
    run("the first, while nobody else is there", 1000),
    run("large", 900),
    run("small", 10),
    run("larger", 950),
    run("as small, later", 10),
  ]);
  expect(order).toEqual([
    "the first, while nobody else is there",
    "small",
    "as small, later",
    "large",
    "larger",
  ]);
});

test("a large one that small ones pass without end gets its turn", async () => {
  let isDone = false;
  let passed = 0;
  const small = (): Promise<void> =>
    pool
      .run("auth", 10, () => new Uint8Array())
      .then(() => {
        if (isDone) return;
        passed++;
        if (passed < 1000) return small();
      });
  const many = [small(), small(), small(), small()];
  const large = pool
    .run("auth", 900, () => new Uint8Array())
    .then(() => {
      isDone = true;
    });
  await Promise.all([large, ...many]);
  expect(passed).toBeLessThan(100);
});
