// A wrong flag of the bench is refused with the reason. The section cold is measured first.
import { expect, test } from "bun:test";
import { readOptions } from "../../scripts/bench/options.ts";

test.each([
  [["--only", "speed"], "--only takes cold, ingest, reading, inboxes, events, resources, nodes, not 'speed'"],
  [["--quick", "--full"], "--quick and --full exclude each other"],
  [["--quik"], "Unknown option '--quik'"],
  [["--against", "/nowhere"], "--against: there is no file '/nowhere'"],
  [
    ["--only", "reading", "--against", "/bin/true"],
    "--against compares the section cold, which --only leaves out",
  ],
  [["--mailkeep", "/nowhere/mailkeep"], "--mailkeep: there is no file '/nowhere/mailkeep'"],
  [["--postfix", "/nowhere"], "--postfix: there are no usr/sbin/smtp-source and smtp-sink in '/nowhere'"],
  [["--peer", "mailpit=/nowhere"], "--peer: there is no file '/nowhere'"],
  [
    ["--peer", "postfix=/bin/true"],
    "--peer takes NAME=FILE with one of mailpit, mailhog, rustmail, maildev, not 'postfix=/bin/true'",
  ],
])("%p is refused", (args, message) => {
  expect(() => readOptions(args)).toThrow(message);
});

test("a peer's path may contain an equals sign", () => {
  expect(() => readOptions(["--peer", "mailpit=/no=where"])).toThrow("'/no=where'");
});

test("the section cold is measured first", () => {
  expect(readOptions([])?.sections[0]).toBe("cold");
});
