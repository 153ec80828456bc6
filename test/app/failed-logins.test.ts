import { expect, test } from "bun:test";
import { FailedLogins } from "../../src/app/failed-logins.ts";

function failedLogins() {
  let time = 0;
  const logins = new FailedLogins(() => time);
  const delays = (address: string, count: number) =>
    Array.from({ length: count }, () => logins.delayOf(address));
  return { delays, pass: (ms: number) => (time += ms) };
}

test("five wrong passwords are answered at once, the next ones from the same address after a second", () => {
  const { delays } = failedLogins();
  expect(delays("192.0.2.1", 7)).toEqual([0, 0, 0, 0, 0, 1000, 1000]);
  expect(delays("192.0.2.2", 1)).toEqual([0]);
});

test("a minute without a wrong password resets the count", () => {
  const { delays, pass } = failedLogins();
  delays("192.0.2.1", 6);
  pass(59_999);
  expect(delays("192.0.2.1", 1)).toEqual([1000]);
  pass(60_000);
  expect(delays("192.0.2.1", 1)).toEqual([0]);
});

test("a thousand addresses are remembered; a new one replaces the address with the oldest failure", () => {
  const { delays } = failedLogins();
  delays("early", 6);
  delays("late", 6);
  for (let index = 0; index < 999; index++) delays(`${index}`, 1);
  expect(delays("late", 1)).toEqual([1000]);
  expect(delays("early", 1)).toEqual([0]);
});
