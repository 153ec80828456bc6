import { expect, test } from "bun:test";
import { firstUlidAt } from "../../src/lib/ulid.ts";
import { splitRuns } from "../../src/web/format/split-runs.ts";

const at = (seconds: number) => firstUlidAt(1_794_646_800_000 + seconds * 1000);

test("a pause of more than a minute ends a run, and rows that are not fetched count to the run above them", () => {
  const list = [at(500), at(450), undefined, at(300), at(299), undefined];
  expect(splitRuns(list)).toEqual([
    [at(500), at(450), undefined],
    [at(300), at(299), undefined],
  ]);
  expect(splitRuns([])).toEqual([]);
});
