// The bus delivers in order and to all listeners, even if one throws.
import { expect, test } from "bun:test";
import { EventBus } from "../../src/events/index.ts";

test("events reach every subscriber in the order they were published", () => {
  const bus = new EventBus<number>(() => {});
  const heard: string[] = [];
  bus.subscribe((event) => heard.push(`a${event}`));
  bus.subscribe((event) => heard.push(`b${event}`));
  bus.publish(1);
  bus.publish(2);
  expect(heard).toEqual(["a1", "b1", "a2", "b2"]);
});

test("a subscriber that throws breaks neither the publisher nor the others", () => {
  const failures: unknown[] = [];
  const bus = new EventBus<number>((error) => failures.push(error));
  const heard: number[] = [];
  bus.subscribe(() => {
    throw new Error("no");
  });
  bus.subscribe((event) => heard.push(event));
  bus.publish(1);
  expect(heard).toEqual([1]);
  expect(failures).toHaveLength(1);
});

test("a subscriber that left gets no more events, even if it leaves during one", () => {
  const bus = new EventBus<number>(() => {});
  const heard: number[] = [];
  const leave = bus.subscribe((event) => {
    heard.push(event);
    leave();
  });
  bus.publish(1);
  bus.publish(2);
  expect(heard).toEqual([1]);
  expect(bus.subscriberCount).toBe(0);
});
