// The order in which tasks get a worker.
import { afterAll, expect, test } from "bun:test";
import { TaskPool } from "../../src/mime/pool/task-pool.ts";

const ANSWER_AT_ONCE = "onmessage = () => postMessage({ output: null });";
const startWorker = () => new Worker(URL.createObjectURL(new Blob([ANSWER_AT_ONCE])));
const pool = new TaskPool<{ headers: (block: string) => null }>(startWorker, 10_000);
afterAll(() => pool.close());

test("tasks get a worker in the order in which they came, and load their input only then", async () => {
  const loaded: number[] = [];
  const run = (number: number) =>
    pool.run("headers", () => {
      loaded.push(number);
      return "";
    });
  const tasks = [1, 2, 3, 4, 5].map(run);
  expect(loaded).toEqual([1, 2]);
  await Promise.all(tasks);
  expect(loaded).toEqual([1, 2, 3, 4, 5]);
});

test("none of a thousand tasks that come at once is refused", async () => {
  const tasks = Array.from({ length: 1000 }, () => pool.run("headers", () => ""));
  expect(await Promise.all(tasks)).toEqual(tasks.map(() => null));
});
