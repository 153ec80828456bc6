import { expect, test } from "bun:test";
import { firstUlidAt } from "../../src/lib/ulid.ts";
import { splitRuns } from "../../src/web/format/split-runs.ts";

const at = (seconds: number) => firstUlidAt(1_794_646_800_000 + seconds * 1000);

test("a pause of more than a minute ends a run, and rows that are not fetched belong to the run above them", () => {
  const list = [at(500), at(450), undefined, at(300), at(299), undefined];
  expect(splitRuns(list, () => "").map(({ places }) => places)).toEqual([
    [0, 1, 2],
    [3, 4, 5],
  ]);
  const begun = [at(500), at(300), at(299), undefined];
  expect(splitRuns(begun, () => "").map(({ isWhole }) => isWhole)).toEqual([true, false]);
  expect(splitRuns([], () => "")).toEqual([]);
});

test("mail with the same run name is one run, even with other mail or much time in between", () => {
  const names = new Map([
    [at(990), "b"],
    [at(980), "a"],
    [at(960), "b"],
    [at(100), "a"],
  ]);
  const list = [at(990), at(980), at(970), at(960), at(950), at(100)];
  expect(splitRuns(list, (id) => names.get(id))).toEqual([
    { name: "b", places: [0, 3], isWhole: true },
    { name: "a", places: [1, 5], isWhole: true },
    { name: "", places: [2, 4], isWhole: true },
  ]);
});
