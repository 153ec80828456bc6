import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { offersFor } from "../../src/cli/commands/completions.ts";
import { mailkeepCommand } from "../support/mailkeep.ts";
import { runCommand } from "../support/run-command.ts";
import { COMMANDS } from "./commands.ts";

/** Contains the scripts, and the program `mailkeep` that they run. */
let folder: string;
let PATH: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mailkeep-completions-"));
  PATH = `${folder}:${process.env.PATH}`;
  const command = mailkeepCommand([]).map((word) => `'${word}'`);
  await Bun.write(join(folder, "mailkeep"), `#!/bin/sh\nexec ${command.join(" ")} "$@"\n`);
  await chmod(join(folder, "mailkeep"), 0o755);
  for (const shell of ["bash", "zsh", "fish"])
    await Bun.write(join(folder, shell), (await runCommand(["completions", shell])).out);
});
afterAll(() => rm(folder, { recursive: true }));

const spawn = (...command: string[]) =>
  Bun.spawnSync(command, { env: { ...process.env, PATH, HOME: folder } });

describe("mailkeep completions", () => {
  test.each(["bash", "zsh", "fish", "powershell"])("prints a script for %s", async (shell) => {
    const { code, out, err } = await runCommand(["completions", shell]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain(`made by 'mailkeep completions ${shell}'`);
  });

  test("names the known shells if the given one is unknown", async () => {
    const { code, err } = await runCommand(["completions", "tcsh"]);
    expect(code).toBe(2);
    expect(err).toBe("mailkeep: unknown shell 'tcsh'; known: bash, zsh, fish, powershell\n");
  });

  test.each([
    ["no shell", []],
    ["two shells", ["bash", "zsh"]],
  ])("refuses %s in one line", async (_what, args) => {
    const { code, err } = await runCommand(["completions", ...args]);
    expect(code).toBe(2);
    expect(err.trim().split("\n")).toHaveLength(1);
  });

  test.each([
    ["a command", ["se"], ["serve"]],
    ["a flag of serve without naming it", ["--smtp-p"], ["--smtp-port"]],
    ["a flag of serve after another", ["--ephemeral", "--smtp-p"], ["--smtp-port"]],
    ["a flag of the named command only", ["import", "--"], ["--durability"]],
    ["the choices of a setting", ["serve", "--durability", ""], ["os", "disk"]],
    ["the words of an argument", ["completions", "z"], ["zsh"]],
    ["a command after help", ["help", "im"], ["import"]],
    ["nothing for a free value", ["serve", "--smtp-port", ""], []],
    ["nothing for an unknown command", ["nope", ""], []],
    ["a flag before two dashes", ["run", "--eph"], ["--ephemeral"]],
    ["a file after two dashes", ["import", "--", "--dur"], [":path"]],
    ["a path of a setting", ["serve", "--config", "/et"], [":path"]],
    ["no file for the path of a URL", ["serve", "--base-path", ""], []],
    ["a file argument", ["import", "/et"], [":path"]],
  ])("completes %s", (_what, line, offered) => {
    const offers = offersFor(COMMANDS, line.slice(0, -1), line.at(-1) ?? "");
    expect(offers.map((offer) => offer.split("\t")[0] ?? "")).toEqual(offered);
  });

  test("explains what it offers", () => {
    expect(offersFor(COMMANDS, [], "se")).toEqual(['serve\tServe: it\'s "all" [here]: SMTP']);
  });
});

describe.skipIf(!Bun.which("bash"))("in bash", () => {
  /** Returns the words that bash would offer to complete the last word of the line. */
  function complete(...line: string[]): string[] {
    const script = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _mailkeep; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawn("bash", "-c", script, "bash", join(folder, "bash"), ...line);
    expect(stderr.toString()).toBe("");
    return stdout.toString().split("\n").filter(Boolean);
  }

  test.each([
    [
      ["mailkeep", "se"],
      ["serve", "send", "sendmail"],
    ],
    [
      ["mailkeep", "serve", "--durability", ""],
      ["os", "disk"],
    ],
    [["mailkeep", "serve", "--smtp-port", ""], []],
  ])("completes %p", (line, offered) => {
    expect(complete(...line)).toEqual(offered);
  });

  test.each([
    ["the value of a path setting", ["mailkeep", "serve", "--config", "/et"]],
    ["a file argument", ["mailkeep", "import", "/et"]],
  ])("leaves %s to readline", async (_what, line) => {
    expect(await Bun.file(join(folder, "bash")).text()).toContain(
      "complete -o default -F _mailkeep mailkeep",
    );
    expect(complete(...line)).toEqual([]);
  });
});

describe.skipIf(!Bun.which("zsh"))("in zsh", () => {
  /** `asked` replaces a function of zsh's completion system. Returns what the new one prints. */
  function complete(asked: string, ...line: string[]): string {
    const words = `words=(${line.map((word) => `'${word}'`).join(" ")}); CURRENT=${line.length}; PREFIX=$words[-1]`;
    const script = `compdef() { : }; ${asked}; source ${join(folder, "zsh")}; ${words}; _mailkeep`;
    const { stdout, stderr } = spawn("zsh", "-f", "-c", script);
    expect(stderr.toString()).toBe("");
    return stdout.toString();
  }

  test("offers words with what they mean", () => {
    const asked = `_describe() { print -l -- "\${(@P)2}" }`;
    const offered = complete(asked, "mailkeep", "serve", "--smtp-p");
    expect(offered).toBe("--smtp-port:Port for SMTP; 0 picks a free one\n");
    expect(complete(asked, "mailkeep", "serve", "--durability", "")).toBe("os\ndisk\n");
    expect(complete(asked, "mailkeep", "serve", "--bind=")).toBe("\n");
  });

  test("leaves paths to the completion system", () => {
    expect(complete("_files() { print files }", "mailkeep", "import", "/et")).toBe("files\n");
  });

  test("the completion system accepts the script", () => {
    const script = `autoload -Uz compinit && compinit -u -d ${folder}/dump && source ${folder}/zsh && print $_comps[mailkeep]`;
    const { stdout, stderr } = spawn("zsh", "-f", "-c", script);
    expect({ out: stdout.toString(), err: stderr.toString() }).toEqual({ out: "_mailkeep\n", err: "" });
  });
});

describe.skipIf(!Bun.which("fish"))("in fish", () => {
  function complete(line: string): string[] {
    const script = `source ${join(folder, "fish")}; complete -C '${line}'`;
    const { stdout, stderr } = spawn("fish", "--no-config", "-c", script);
    expect(stderr.toString()).toBe("");
    const offers = stdout.toString().split("\n").filter(Boolean);
    return offers.map((offer) => offer.split("\t")[0] ?? "").sort();
  }

  test.each([
    ["mailkeep se", ["send", "sendmail", "serve"]],
    ["mailkeep serve --durability ", ["disk", "os"]],
    ["mailkeep serve --config /dev/nul", ["/dev/null"]],
    ["mailkeep import /dev/nul", ["/dev/null"]],
    ["mailkeep --durabil", ["--durability"]],
    ["mailkeep completions z", ["zsh"]],
    ["mailkeep serve --smtp-port ", []],
    ["mailkeep run -- /dev/nul", ["/dev/null"]],
  ])("completes '%s'", (line, offered) => {
    expect(complete(line)).toEqual(offered);
  });
});
