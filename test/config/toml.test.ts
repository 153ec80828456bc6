// A settings file that is not valid TOML: the error names the mistake and, unless the file is long,
// its line. The error quotes nothing.
import { describe, expect, test } from "bun:test";
import { parseToml } from "../../src/config/index.ts";

describe("the error for a settings file names the line and the kind", () => {
  test.each([
    ["http-auth = secret", "line 1: Strings must be quoted"],
    ["bind = '::1'\n\n# mine\nwebhook = secret\n", "line 4: Strings must be quoted"],
    ["http-auth: secret", "line 1: Expected '=' after a key"],
    ['smtp-auth = [\n  "a:b",\n  secret,\n]\n', "line 1: Strings must be quoted"],
    ['smtp-auth = ["a:b" secret]', "line 1: Expected ',' or ']' in an array"],
    [
      'http-auth = "a:secret\nbind = "::1"\n',
      "line 1: Unterminated string; newlines must be escaped in basic strings",
    ],
    ['http-auth = "a"secret"', "line 1: Expected a newline or end of file after a key/value pair"],
    ['http-auth = "a:\\secret"', "line 1: Invalid escape sequence"],
    ["smtp-port = 1secret", "line 1: Unexpected character after a value"],
    ["secret = 1\nsecret = 2", "line 2: Cannot redefine key"],
    ["[[secret]", "line 1: Expected ']]' to close an array-of-tables header"],
    ["bind = '::1'\nsecret", "line 2: Expected '=' after a key"],
  ])("%p", (text, problem) => {
    expect(() => parseToml(text, "x.toml")).toThrow(new Error(`x.toml is not valid TOML: ${problem}`));
  });
});

test("a log given as the settings file is refused at once: for a long file the error names no line", () => {
  const log = "Nov 17 11:04:01 host app[1]: started\n".repeat(100_000);
  expect(() => parseToml(log, "x.log")).toThrow(
    new Error("x.log is not valid TOML: Expected '=' after a key"),
  );
});

test("a settings file that is TOML is read", () => {
  expect(parseToml('bind = "::1"\nsmtp-port = 1\n', "x.toml")).toEqual({ bind: "::1", "smtp-port": 1 });
});
