import { expect, test } from "bun:test";
import { nearest } from "../../src/lib/nearest.ts";

const KNOWN = ["smtp-port", "http-port", "bind", "data-dir", "ephemeral"];

test.each([
  ["smtpport", "smtp-port"],
  ["htpt-port", "http-port"],
  ["datadir", "data-dir"],
  ["BIND", "bind"],
])("%p most likely means %p", (word, meant) => {
  expect(nearest(word, KNOWN)).toBe(meant);
});

test("with nothing known there is nothing near", () => {
  expect(nearest("word", [])).toBeNull();
});
