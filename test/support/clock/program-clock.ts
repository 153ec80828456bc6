// Preloaded into a program if the system clock cannot be replaced: adds the milliseconds in CLOCK_OFFSET_FILE to
// `Date`.
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
