// Mistakes in inboxes and faults that the settings declare.
import { describe, expect, test } from "bun:test";
import { declaredFaults, declaredInboxes } from "../../src/cli/server/declared.ts";
import { loadSettings, SERVE_SETTINGS } from "../../src/config/index.ts";

interface Given {
  readonly flag?: string;
  readonly variable?: string;
  readonly tables?: readonly object[];
}

const declare = (name: "inbox" | "fault", { flag, variable, tables = [] }: Given) => {
  const flags = new Map([["config", ["mailkeep.toml"]]]);
  if (flag !== undefined) flags.set(name, [flag]);
  const settings = loadSettings(SERVE_SETTINGS, {
    flags,
    environment: { [`MAILKEEP_${name.toUpperCase()}`]: variable },
    otherVariables: [],
    readToml: () => ({ [name]: tables }),
  });
  return name === "inbox" ? declaredInboxes(settings) : declaredFaults(settings, () => new Date(0));
};

describe("a mistake is named by the flag, the variable or the table that has it", () => {
  test.each<["inbox" | "fault", Given, string]>([
    ["inbox", { flag: "Shop" }, "--inbox 1: name must be"],
    ["inbox", { flag: "a", variable: "b,Shop" }, "MAILKEEP_INBOX 2: name must be"],
    [
      "inbox",
      { flag: "a", tables: [{ name: "b" }, { nmae: "shop" }] },
      "mailkeep.toml: inbox 2: nmae is not known here; did you mean name?",
    ],
    ["inbox", { flag: "a", tables: [{ name: "a" }] }, "mailkeep.toml: inbox: a is declared twice"],
    ["fault", { variable: '{"name":"a","at":"rcp"}' }, "MAILKEEP_FAULT 1: at must be connect"],
    ["fault", { tables: [{ name: "a", at: "rcpt" }] }, "mailkeep.toml: fault 1: reply is missing"],
  ])("%s %j", (name, given, problem) => {
    expect(() => declare(name, given)).toThrow(problem);
  });
});
