// Preloaded into the program: writes down the long turns of its main thread in milliseconds of processor time, which
// other work on the machine does not lengthen.
import { appendFileSync, readFileSync } from "node:fs";

const LOOK_EVERY_MS = 1;
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
