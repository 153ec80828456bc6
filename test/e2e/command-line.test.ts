import { describe, expect, test } from "bun:test";
import manifest from "../../package.json" with { type: "json" };
import { runMailkeep } from "../support/mailkeep.ts";
import { runCommand } from "../support/run-command.ts";

describe("help", () => {
  test.each([[["help"]], [["--help"]], [["-h"]]])("mailkeep %p lists the commands", async (args) => {
    const { code, out } = await runMailkeep(args);
    expect(code).toBe(0);
    expect(out).toContain("every mail your code sends, kept");
    expect(out).toMatch(/^ {2}serve +Catch mail/m);
  });

  test.each([[["help", "serve"]], [["serve", "--help"]]])("mailkeep %p lists its flags", async (args) => {
    const { code, out } = await runCommand(args);
    expect(code).toBe(0);
    expect(out).toContain("--smtp-port <port>");
    expect(out).toContain("[1025]");
  });

  test.each(["version", "help"])(
    "mailkeep %s --help and mailkeep help %s explain that command",
    async (topic) => {
      for (const args of [
        [topic, "--help"],
        ["help", topic],
      ]) {
        const { code, out } = await runCommand(args);
        expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining(`Usage: mailkeep ${topic}`) });
      }
    },
  );

  const asked = [["--version"], ["version"], ["-V"], ["serve", "--version"], ["send", "--version"]];
  test.each(asked.map((args) => [args]))("mailkeep %p prints the version", async (args) => {
    const { code, out } = await runMailkeep(args);
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(/^mailkeep \d+\.\d+\.\d+ \(\w+\)\n$/),
    });
    expect(out).toContain(manifest.version);
  });
});

describe("a mistake ends with exit code 2 and one line that names it and the nearest known word", () => {
  test.each([
    [["srve"], {}, "mailkeep: unknown command 'srve'; did you mean 'serve'?\n"],
    [["help", "srve"], {}, "mailkeep: unknown command 'srve'; did you mean 'serve'?\n"],
    [["--smtp-prot", "1"], {}, "mailkeep: unknown flag --smtp-prot; did you mean --smtp-port?\n"],
    [["--zzz"], {}, "mailkeep: unknown flag --zzz; --help shows all\n"],
    [["frobnicate"], {}, "mailkeep: unknown command 'frobnicate'; 'mailkeep help' shows all\n"],
    [
      [],
      { MAILKEEP_ZZZZZZ: "1" },
      "mailkeep: unknown variable MAILKEEP_ZZZZZZ; 'mailkeep help serve' shows all\n",
    ],
    [["serve", "extra"], {}, "mailkeep: unexpected argument 'extra'\n"],
    [["version", "--json"], {}, "mailkeep: unexpected argument '--json'\n"],
    [
      ["--url", "http://127.0.0.1:8025", "assert"],
      {},
      "mailkeep: put the command before its flags: mailkeep assert …\n",
    ],
    [["help", "serve", "extra"], {}, "mailkeep: unexpected argument 'extra'\n"],
    [
      ["--config", "/nonexistent/mailkeep.toml"],
      {},
      "mailkeep: cannot read the settings file /nonexistent/mailkeep.toml: there is no such file or folder\n",
    ],
  ] as [string[], Record<string, string>, string | RegExp][])("%p %p", async (args, environment, line) => {
    const { code, out, err } = await runCommand(args, { environment });
    expect({ code, out, err }).toEqual({
      code: 2,
      out: "",
      err: typeof line === "string" ? line : expect.stringMatching(line),
    });
  });
});
