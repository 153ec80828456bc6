// The list of ids with holes: pages, new mail and deletions keep every id at its place.
import { expect, test } from "bun:test";
import {
  fillGap,
  firstGap,
  insertIds,
  listOfLength,
  placePage,
  removeIds,
  renewHead,
} from "../../src/web/state/id-list.ts";
import { cpuMs } from "../support/cpu-time.ts";

const _ = undefined;

test("a first page fills the beginning and leaves holes for the rest", () => {
  expect(placePage(listOfLength(4), 0, ["9", "8"], false)).toEqual(["9", "8", _, _]);
});

test("the last page ends the list, however long it was thought to be", () => {
  expect(placePage(["9", "8", _, _, _], 2, ["7"], true)).toEqual(["9", "8", "7"]);
});

test("a page with more to come lengthens a list that was thought to be shorter", () => {
  expect(placePage(["9", _], 1, ["8", "7"], false)).toEqual(["9", "8", "7", _]);
});

test("a page laid over known ids leaves none of them twice", () => {
  expect(placePage(["9", _, _, "6", "5"], 1, ["7", "6"], false)).toEqual(["9", "7", "6", "5"]);
});

test("a page that slipped because mail arrived meanwhile repeats nothing that stands before it", () => {
  expect(placePage(["9", "8", _, _, _], 2, ["8", "7"], false)).toEqual(["9", "8", "7", _, _]);
});

test("new mail goes to the top, newest first", () => {
  expect(insertIds(["5", _], ["6", "7"])).toEqual(["7", "6", "5", _]);
});

test("mail that comes back goes where its age puts it, once", () => {
  expect(insertIds(["9", "7", "5"], ["8", "7"])).toEqual(["9", "8", "7", "5"]);
});

test("a deleted id leaves the list", () => {
  expect(removeIds(["9", "8", "7"], new Set(["8"]), true)).toEqual(["9", "7"]);
});

test("a deleted id that was not fetched yet shortens the hole it was in", () => {
  expect(removeIds(["9", _, _, "5", _], new Set(["7"]), true)).toEqual(["9", _, "5", _]);
  expect(removeIds(["9", "8", _], new Set(["3"]), true)).toEqual(["9", "8"]);
});

test("in a filtered view a deleted id that was not fetched changes nothing", () => {
  expect(removeIds(["9", _, "5"], new Set(["7"]), false)).toEqual(["9", _, "5"]);
});

test("several deleted ids that were not fetched shorten the holes they were in, and no other", () => {
  const list = ["9", _, _, "5", _, _, "1"];
  expect(removeIds(list, new Set(["8", "7", "6"]), true)).toEqual(["9", "5", _, _, "1"]);
  expect(removeIds(list, new Set(["7", "3", "1"]), true)).toEqual(["9", _, "5", _]);
});

test("mail of any age comes into a list of holes once", () => {
  expect(insertIds(["9", _, "5", "4"], ["4", "8", "3", "8"])).toEqual(["9", _, "8", "5", "4", "3"]);
  expect(insertIds([_, "5"], ["7", "6"])).toEqual(["7", "6", _, "5"]);
  expect(insertIds([], ["2", "1"])).toEqual(["2", "1"]);
});

test("the newest page pushes down what is older and fills the gap that it reaches into", () => {
  expect(renewHead(["8", "5", _, _, "1"], ["9", "8", "5", "4"], false)).toEqual(["9", "8", "5", "4", _, "1"]);
  expect(renewHead(["8", "7", "5", _], ["8", "5"], false)).toEqual(["8", "7", "5", _]);
  expect(renewHead(["8", _, _], ["8", "5", "4"], true)).toEqual(["8", "5", "4"]);
  expect(renewHead(["8", _], [], false)).toEqual(["8", _]);
});

test("a gap lies between the known ids on both sides of it", () => {
  const list = ["9", "8", _, _, "5", _, "3", _];
  expect(firstGap(list, "9", "3")).toEqual({ after: "8", until: "5" });
  expect(firstGap(list, "5", "3")).toEqual({ after: "5", until: "3" });
  expect(firstGap(list, "9", "8")).toBeUndefined();
  expect(firstGap(list, "7", "3")).toBeUndefined();
});

test("a filled gap has no holes and keeps what came into it meanwhile", () => {
  const gap = { after: "9", until: "3" };
  expect(fillGap(["9", _, "5", _, "3", _], gap, ["8", "4"])).toEqual(["9", "8", "5", "4", "3", _]);
  expect(fillGap(["9", _, _], gap, ["8"])).toEqual(["9", _, _]);
});

test("a thousand events cost a list of a hundred thousand about as much as one", () => {
  const id = (index: number) => String(index).padStart(26, "0");
  const total = 100_000;
  const list = Array.from({ length: total }, (_, index) => id(2 * (total - index)));
  const between = Array.from({ length: 1000 }, (_, index) => id(2 * index + 1));
  const started = cpuMs();
  expect(insertIds(list, between)).toHaveLength(total + 1000);
  const holes = placePage(listOfLength(total), 0, list.slice(0, 100), false);
  expect(removeIds(holes, new Set(between), true)).toHaveLength(total - 1000);
  expect(cpuMs() - started).toBeLessThan(1000);
});
