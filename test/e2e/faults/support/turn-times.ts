// Preloaded into the program: records long turns of its event loop, in milliseconds of processor time.
import { appendFileSync, readFileSync } from "node:fs";

/** A shorter interval would cost too much processor time. */
const LOOK_EVERY_MS = 5;
const WORTH_NOTING_MS = 20;

const usedMs = () =>
  Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;

const file = process.env.TURN_TIMES;
if (file && Bun.isMainThread) {
  let before = usedMs();
  setInterval(() => {
    const took = usedMs() - before;
    if (took > WORTH_NOTING_MS) appendFileSync(file, `${took}\n`);
    before = usedMs();
  }, LOOK_EVERY_MS).unref();
}
