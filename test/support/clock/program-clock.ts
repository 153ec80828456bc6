// Preloaded into a program where the clock of the system cannot be replaced: its `Date` adds the milliseconds that
// CLOCK_OFFSET_FILE holds at that moment.
import { openSync, readSync } from "node:fs";

const RealDate = Date;
const fd = openSync(process.env.CLOCK_OFFSET_FILE ?? "", "r");
const offset = new BigInt64Array(1);

function now(): number {
  readSync(fd, offset, 0, offset.byteLength, 0);
  return RealDate.now() + Number(offset[0]);
}

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
  get: (target, name, receiver) => (name === "now" ? now : Reflect.get(target, name, receiver)),
});
