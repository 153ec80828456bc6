// The order in which tasks get a worker.
import { afterEach, expect, test } from "bun:test";
import { TaskPool } from "../../src/mime/task-pool.ts";

const ANSWER_AT_ONCE =
  "onmessage = ({ data }) => postMessage({ id: data.id, output: null }); postMessage('ready');";
const startWorker = () => new Worker(URL.createObjectURL(new Blob([ANSWER_AT_ONCE])));
const pool = new TaskPool({ startWorker, timeoutMs: 10_000 });
afterEach(() => pool.close());

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
