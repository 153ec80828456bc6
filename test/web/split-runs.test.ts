import { expect, test } from "bun:test";
import { firstUlidAt } from "../../src/lib/ulid.ts";
import { splitRuns } from "../../src/web/format/split-runs.ts";

const at = (seconds: number) => firstUlidAt(1_794_646_800_000 + seconds * 1000);

test("a pause of more than a minute ends a run, and mails that are not fetched belong to the run above them", () => {
  const list = [at(500), at(450), 2, at(300), at(299), 5];
  expect(splitRuns(list, () => "").map(({ keys }) => keys)).toEqual([list.slice(0, 3), list.slice(3)]);
  const begun = [at(500), at(300), at(299), 3];
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
    { name: "b", keys: [at(990), at(960)], isWhole: true },
    { name: "a", keys: [at(980), at(100)], isWhole: true },
    { name: "", keys: [at(970), at(950)], isWhole: true },
  ]);
});
