import { expect, test } from "bun:test";
import { runCommand } from "../support/run-command.ts";

test.each(["run", "run --quiet --", "run npm test", "run sh -c true"])(
  "%s says that the command belongs after --",
  async (line) => {
    expect(await runCommand(line.split(" "))).toEqual({
      code: 2,
      out: "",
      err: "mailkeep: run needs a command after --, for example: mailkeep run -- npm test\n",
    });
  },
);

test.each([
  ["run x -- true", "mailkeep: unexpected argument 'x'\n"],
  [
    "run --smtp-tls-required -- true",
    "mailkeep: --smtp-tls-required needs a certificate: --smtp-tls self-signed\n",
  ],
  ["run --quite -- true", "mailkeep: unknown flag --quite; did you mean --quiet?\n"],
])("%s is wrong usage", async (line, err) => {
  expect(await runCommand(line.split(" "))).toEqual({ code: 2, out: "", err });
});
