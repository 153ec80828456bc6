import { expect, test } from "bun:test";
import { CLOSED_ADDRESS } from "../support/closed-port.ts";
import { runCommand } from "../support/run-command.ts";

const SINCE = "the id of a mail, a time such as 2026-11-14T10:00:00Z, a span such as 5m, or all";
const ADDRESS = "an address alone, without name and angle brackets";

/** Nothing listens at this address, so a command that contacts the server first exits with 3. */
const NOWHERE = `--url=http://${CLOSED_ADDRESS}`;

test.each([
  [["assert", "--since", "foo"], "--since", "foo", SINCE],
  [["wait", "--since", "2026-02-30"], "--since", "2026-02-30", SINCE],
  [["export", "--since", "2026-11-14T10"], "--since", "2026-11-14T10", SINCE],
  [["assert", "--count=0", "--to", "<ann>"], "--to", "<ann>", ADDRESS],
  [["wait", "--from", "<>"], "--from", "<>", ADDRESS],
] as const)(
  "%p is reported as wrong usage before the server is contacted",
  async (args, flag, typed, accepted) => {
    expect(await runCommand([...args, NOWHERE])).toEqual({
      code: 2,
      out: "",
      err: `mailkeep: ${flag}: '${typed}' is not valid; accepted: ${accepted}\n`,
    });
  },
);

test.each([
  [["clear", "--no-starred"], "unknown flag --no-starred; --help shows all"],
  [["list", "--unread=false"], "--unread: 'false' is not valid; accepted: true, or leave the flag out"],
  [["export", "--data-dir", "x"], "--data-dir needs --store"],
  [["import", "--bodies=s3://x", "a.eml"], "--bodies needs --store"],
])("%p is wrong usage and not ignored", async (args, problem) => {
  expect(await runCommand([...args])).toEqual({ code: 2, out: "", err: `mailkeep: ${problem}\n` });
});

test.each([
  [["wait", "--timeout=5m"]],
  [["wait", "--from="]],
  [["assert", "--settle=300s"]],
  [["assert", "--since=2026-11-14T10:00:00+01:00"]],
  [["assert", "--since=01JCPZ0000000000000000000A"]],
])("with %p the server is contacted", async (args) => {
  expect((await runCommand([...args, NOWHERE])).code).toBe(3);
});
