// Who is connected: whoever comes is there until it leaves, whatever the others do.
import { expect, test } from "bun:test";
import { NOWHERE, Roster } from "../../src/smtp/roster.ts";

const members = (count: number) => Array.from({ length: count }, (_, name) => ({ name, place: NOWHERE }));
const names = (roster: Roster<{ name: number; place: number }>) => [...roster].map(({ name }) => name).sort();

test("whoever was added is there, in whatever order the others leave", () => {
  const roster = new Roster<{ name: number; place: number }>();
  const all = members(5);
  for (const member of all) roster.add(member);
  for (const leaving of [0, 4, 2]) expect(roster.remove(all[leaving] as (typeof all)[0])).toBe(true);
  expect(names(roster)).toEqual([1, 3]);
  expect(roster.size).toBe(2);
});

test("whoever is not there cannot leave, also after it has left", () => {
  const roster = new Roster<{ name: number; place: number }>();
  const [one, two] = members(2) as [{ name: number; place: number }, { name: number; place: number }];
  roster.add(one);
  expect(roster.remove(two)).toBe(false);
  expect(roster.remove(one)).toBe(true);
  expect(roster.remove(one)).toBe(false);
  expect(roster.size).toBe(0);
});

test("those who leave while it is gone through are passed over, the others are not", () => {
  const roster = new Roster<{ name: number; place: number }>();
  const all = members(4);
  for (const member of all) roster.add(member);
  const seen: number[] = [];
  for (const member of roster) {
    seen.push(member.name);
    roster.remove(member);
    if (member.name === 0) roster.remove(all[3] as (typeof all)[0]);
  }
  expect(seen).toEqual([0, 1, 2]);
  expect(roster.size).toBe(0);
});
