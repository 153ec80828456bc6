import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { CLOSED_ADDRESS } from "../support/closed-port.ts";
import { tempFolder } from "../support/folders.ts";
import { mailkeepCommand, type Running, startMailkeep } from "../support/mailkeep.ts";
import { deliver } from "../support/smtp-client.ts";

const { path: folder, remove } = tempFolder();
let server: Running;
beforeAll(async () => {
  server = await startMailkeep();
  await deliver(server.smtpPort, { raw: "Subject: Your code\r\n\r\nYour code is 482913.\r\n" });
});
afterAll(async () => {
  await server.stop();
  remove();
});

async function redirected(args: readonly string[], redirection: string) {
  const child = Bun.spawn(["sh", "-c", `{ "$@" ${redirection}; }`, "sh", ...mailkeepCommand(args)], {
    stdio: ["ignore", "ignore", "pipe"],
    cwd: folder,
    env: { ...process.env, MAILKEEP_URL: server.http },
  });
  const [err, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
  return { code, err };
}

const COMMANDS = [
  ["assert"],
  ["assert", "--format", "junit"],
  ["wait", "--extract", "code"],
  ["wait", "--format", "json"],
  ["report"],
  ["export"],
  ["health"],
  ["completions", "bash"],
  ["man"],
  ["--version"],
].map((args) => [args]);

const isFull = existsSync("/dev/full");
describe.skipIf(!isFull)("a failure to print is reported in one line, with exit code 1", () => {
  test.each(COMMANDS)("%p", async (args) => {
    expect(await redirected(args, "> /dev/full")).toEqual({
      code: 1,
      err: expect.stringMatching(/^mailkeep: cannot (?:write|save) to standard output: the disk is full\n$/),
    });
  });

  test("a verdict keeps its own exit code", async () => {
    const { code } = await redirected(
      ["assert", "--q", "[", "--format=json", `--url=http://${CLOSED_ADDRESS}`],
      "> /dev/full",
    );
    expect(code).toBe(3);
  });
});

test.each([["man"], ["assert", "--format=json"]].map((args) => [args]))(
  "a reader that closes the pipe of %p early is not a failure",
  async (args) => {
    const { code, err } = await redirected(args, '; echo "code $?" >&2; } | { :');
    expect({ code, err }).toEqual({ code: 0, err: "code 0\n" });
  },
);
