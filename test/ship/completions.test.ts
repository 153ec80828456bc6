import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  bashCompletion,
  fishCompletion,
  powershellCompletion,
  vocabulary,
  zshCompletion,
} from "../../src/cli/commands/completions.ts";
import { runCommand as runItself } from "../../src/cli/commands/run.ts";
import { serve as serveCommand } from "../../src/cli/commands/serve.ts";
import { runCommand } from "../support/run-command.ts";
import { COMMANDS } from "./commands.ts";

const words = vocabulary(COMMANDS);
const INNER_FLAG = ["mailkeep", "run", "--", "npm", "--eph"];
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mailkeep-completions-"));
  await Bun.write(join(folder, "mailkeep.bash"), bashCompletion(words));
  await Bun.write(join(folder, "_mailkeep"), zshCompletion(words));
  await Bun.write(join(folder, "mailkeep.fish"), fishCompletion(words));
});
afterAll(() => rm(folder, { recursive: true }));

describe("mailkeep completions", () => {
  test.each(["bash", "zsh", "fish", "powershell"])("prints a script for %s", async (shell) => {
    const { code, out, err } = await runCommand(["completions", shell]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain(`made by 'mailkeep completions ${shell}'`);
    expect(out).toContain("completions");
  });

  test("names the known shells if the given one is unknown", async () => {
    const { code, err } = await runCommand(["completions", "tcsh"]);
    expect(code).toBe(2);
    expect(err).toBe("mailkeep: unknown shell 'tcsh'; known: bash, zsh, fish, powershell\n");
  });

  test.each([
    ["no shell", []],
    ["two shells", ["bash", "zsh"]],
    ["a property of every object", ["toString"]],
  ])("refuses %s in one line", async (_what, args) => {
    const { code, err } = await runCommand(["completions", ...args]);
    expect(code).toBe(2);
    expect(err.trim().split("\n")).toHaveLength(1);
  });

  test("reads from the usage line which words or paths an argument takes", () => {
    const argument = (name: string) => words.find((command) => command.name === name)?.argument;
    expect(argument("completions")).toEqual({ kind: "words", words: ["bash", "zsh", "fish", "powershell"] });
    expect(argument("import")).toEqual({ kind: "path", words: [] });
    expect(argument("serve")).toEqual({ kind: "nothing", words: [] });
    expect(argument("help")).toEqual({ kind: "words", words: ["serve", "import", "run", "completions"] });
    const [run] = vocabulary([runItself]);
    expect(run?.argument).toEqual({ kind: "command", words: [] });
  });

  test("offer no files for the path of a URL", () => {
    const [serve] = vocabulary([serveCommand]);
    const kindOf = (flag: string) => serve?.flags.find(({ name }) => name === flag)?.value.kind;
    expect({ file: kindOf("config"), url: kindOf("base-path") }).toEqual({ file: "path", url: "free" });
  });
});

describe.skipIf(!Bun.which("bash"))("in bash", () => {
  /** The words that bash would offer for the last of these words. */
  function complete(...line: string[]): string[] {
    const script = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _mailkeep; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const file = join(folder, "mailkeep.bash");
    const { stdout, stderr } = Bun.spawnSync(["bash", "-c", script, "bash", file, ...line]);
    expect(stderr.toString()).toBe("");
    return stdout.toString().split("\n").filter(Boolean);
  }

  test("completes the command after two dashes and leaves its files to readline", () => {
    expect(complete("mailkeep", "run", "--", "ech")).toContain("echo");
    expect(complete("mailkeep", "run", "--", "echo", "/et")).toEqual([]);
  });

  test("the script has no syntax error", () => {
    expect(Bun.spawnSync(["bash", "-n", join(folder, "mailkeep.bash")]).exitCode).toBe(0);
  });

  test.each([
    ["a command", ["mailkeep", "se"], ["serve"]],
    ["a flag of serve without naming it", ["mailkeep", "--smtp-p"], ["--smtp-port"]],
    ["a flag of the named command only", ["mailkeep", "import", "--"], ["--durability"]],
    ["the choices of a setting", ["mailkeep", "serve", "--durability", ""], ["os", "disk"]],
    ["a choice after an equals sign", ["mailkeep", "serve", "--durability", "=", "d"], ["disk"]],
    ["all choices right after an equals sign", ["mailkeep", "serve", "--durability", "="], ["os", "disk"]],
    ["the words of an argument", ["mailkeep", "completions", "z"], ["zsh"]],
    ["a command after help", ["mailkeep", "help", "im"], ["import"]],
    ["nothing for a free value", ["mailkeep", "serve", "--smtp-port", ""], []],
    ["nothing for an unknown command", ["mailkeep", "nope", ""], []],
    ["a flag before two dashes", ["mailkeep", "run", "--eph"], ["--ephemeral"]],
    ["no flag of 'run' after two dashes", INNER_FLAG, []],
    ["no flag after two dashes, where file names come", ["mailkeep", "import", "--", "--dur"], []],
  ])("completes %s", (_what, line, offered) => {
    expect(complete(...line)).toEqual(offered);
  });

  test.each([
    ["the value of a path setting", ["mailkeep", "serve", "--config", "/et"]],
    ["a file argument", ["mailkeep", "import", "/et"]],
  ])("leaves %s to readline", (_what, line) => {
    expect(bashCompletion(words)).toContain("complete -o default -F _mailkeep mailkeep");
    expect(complete(...line)).toEqual([]);
  });
});

describe.skipIf(!Bun.which("zsh"))("in zsh", () => {
  test("the script has no syntax error", () => {
    const { exitCode, stderr } = Bun.spawnSync(["zsh", "-n", join(folder, "_mailkeep")]);
    expect({ exitCode, stderr: stderr.toString() }).toEqual({ exitCode: 0, stderr: "" });
  });

  test("the completion of the inner command is asked after two dashes", async () => {
    const asked = `words=(${INNER_FLAG.join(" ")}); CURRENT=5; _arguments() { print arguments }; _normal() { print $CURRENT $words }; source ${folder}/_mailkeep; _mailkeep`;
    const { stdout } = Bun.spawnSync(["zsh", "-f", "-c", `compdef() { : }; ${asked}`]);
    expect(stdout.toString()).toBe("2 npm --eph\n");
  });

  test("the completion system accepts the script", () => {
    const script = `autoload -Uz compinit && compinit -u -d ${folder}/dump && source ${folder}/_mailkeep && print $_comps[mailkeep]`;
    const { stdout, stderr } = Bun.spawnSync(["zsh", "-f", "-c", script]);
    expect({ out: stdout.toString(), err: stderr.toString() }).toEqual({ out: "_mailkeep\n", err: "" });
  });
});

describe.skipIf(!Bun.which("fish"))("in fish", () => {
  function complete(line: string): string[] {
    const script = `source ${folder}/mailkeep.fish; complete -C '${line}'`;
    const { stdout, stderr } = Bun.spawnSync(["fish", "--no-config", "-c", script], {
      env: { ...process.env, HOME: folder },
    });
    expect(stderr.toString()).toBe("");
    const offers = stdout.toString().split("\n").filter(Boolean);
    return offers.map((offer) => offer.split("\t")[0] ?? "").sort();
  }

  test.each([
    ["mailkeep se", ["serve"]],
    ["mailkeep serve --durability ", ["disk", "os"]],
    ["mailkeep --durabil", ["--durability"]],
    ["mailkeep import --", ["--durability"]],
    ["mailkeep completions z", ["zsh"]],
    ["mailkeep serve --smtp-port ", []],
    ["mailkeep run --eph", ["--ephemeral"]],
    [INNER_FLAG.join(" "), []],
    ["mailkeep run -- --eph", []],
    ["mailkeep run -- mailkeep se", ["serve"]],
  ])("completes '%s'", (line, offered) => {
    expect(complete(line)).toEqual(offered);
  });
});

test("in PowerShell quotes in a help text are doubled", () => {
  expect(powershellCompletion(words)).toContain(`Help = 'Serve: it''s "all" [here]: SMTP'`);
});
