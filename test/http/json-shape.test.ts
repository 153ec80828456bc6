import { expect, test } from "bun:test";
import { shapeOf } from "../../src/http/json-shape.ts";

test.each([
  ["{}", 1, 1],
  ['{"a":[1,[2,3]],"b":4}', 3, 4],
  ['"[[,,"', 0, 1],
  ['["\\"[,\\\\",["]"]]', 2, 2],
  ['["a\\', 1, 1],
  ['["a,[', 1, 1],
  ["]]][[", 0, 1],
  ["", 0, 1],
])("%s is %d deep and has %d values", (json, depth, values) => {
  expect(shapeOf(json)).toEqual({ depth, values });
});
