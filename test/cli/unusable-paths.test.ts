import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tempFolder } from "../support/folders.ts";
import { mailkeepCommand, type Running, startMailkeep } from "../support/mailkeep.ts";
import { asNameless, asNobody, canBeNobody } from "../support/nobody.ts";
import { runCommand } from "../support/run-command.ts";

const { path: folder, remove } = tempFolder();
let server: Running;
beforeAll(async () => {
  server = await startMailkeep();
  await chmod(folder, 0o755);
  await writeFile(join(folder, "file"), "");
  await mkdir(join(folder, "closed"), { mode: 0o700 });
});
afterAll(async () => {
  await server.stop();
  remove();
});

const MAIL = join(import.meta.dir, "../fixtures/mail/bounce.eml");

/** Unusable paths, and the error of the system for each. */
const PATHS = [
  ["below a file", "file/x", /: a part of the path is a file, not a folder$/m],
  ["with a name that is too long", "n".repeat(300), /: the name is too long$/m],
] as const;

const COMMANDS: Readonly<Record<string, (path: string) => string[]>> = {
  verify: (path) => ["verify", "--data-dir", path],
  reindex: (path) => ["reindex", "--data-dir", path],
  "export to a file": (path) => ["export", "--format=mbox", "--url", server.http, "--output", path],
  "run, before its command": (path) => ["run", "--keep", path, "--", "echo"],
  snapshot: (path) => ["snapshot", path, MAIL],
  "export to a folder": (path) => ["export", "--format=eml", "--url", server.http, "--output", path],
};

describe.each(Object.entries(COMMANDS))("%s says in one line, without a stack,", (_name, args) => {
  test.each(PATHS)("that a path %s cannot be used", async (_where, path, reason) => {
    const { code, err } = await runCommand(args(join(folder, path)));
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/^mailkeep: [^\n]+\n$/) });
    expect(err).toMatch(reason);
  });

  test.skipIf(!canBeNobody)("that a folder belongs to another user", async () => {
    const { code, err } = await asNobody(mailkeepCommand(args(join(folder, "closed/x"))));
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/^mailkeep: [^\n]+\n$/) });
    expect(err).toMatch(/: permission denied$/m);
  });
});

describe.skipIf(!canBeNobody)("for a user without a home folder", () => {
  const NO_HOME = "mailkeep: HOME is not set, and this user has no home folder:";
  test.each([
    ["serve", ["serve"], "name a folder with --data-dir"],
    ["verify", ["verify"], "name a folder with --data-dir"],
    ["~ in a path", ["serve", "--data-dir=~/mail"], "write the path without ~"],
  ])("%s shows one line and no stack", async (_what, args, advice) => {
    const { code, err } = await asNameless(mailkeepCommand(args), {});
    expect({ code, err }).toEqual({ code: 2, err: `${NO_HOME} ${advice}\n` });
  });

  test("a variable that names a folder is enough", async () => {
    const environment = { XDG_DATA_HOME: join(folder, "closed") };
    const { code, err } = await asNameless(mailkeepCommand(["verify"]), environment);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(`${folder}/closed/mailkeep`) });
  });
});

const hasShell = Bun.which("sh") !== null;
test.skipIf(!hasShell)(
  "send says in one line, without a stack, that a folder cannot be standard input",
  async () => {
    const through = ["sh", "-c", 'exec "$@" <"$0"', folder];
    const child = Bun.spawn([...through, ...mailkeepCommand(["send", "ann@x.test"])], {
      stdout: "pipe",
      stderr: "pipe",
    });
    const [code, err] = await Promise.all([child.exited, new Response(child.stderr).text()]);
    expect({ code, err }).toEqual({
      code: 64,
      err: expect.stringMatching(/^mailkeep: cannot read the mail from standard input: [^\n]+\n$/),
    });
  },
);
