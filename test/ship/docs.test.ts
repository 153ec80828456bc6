// Checks the documents against the program: links, flags, variables and routes. The examples of api.md are run.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CLIENT_PACKAGE } from "../../scripts/release/client-package.ts";
import { runCli } from "../../src/cli/index.ts";
import { VERSION } from "../../src/cli/server/bundle.ts";
import * as client from "../../src/client/index.ts";
import { flagName, SERVE_SETTINGS, variablesOf } from "../../src/config/index.ts";
import { parseDuration } from "../../src/lib/time.ts";
import { type Running, runProgram, startMailkeep } from "../support/mailkeep.ts";

const root = join(import.meta.dir, "../..");
const markdownIn = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));
const pages = [...markdownIn("."), ...markdownIn("docs")];
const read = (path: string) => readFileSync(join(root, path), "utf8");

const FLAG = /--[a-z][a-z-]+/g;

/** The code of a page: lines of fenced blocks, and text between backticks. */
function codeOf(page: string): string[] {
  const text = read(page);
  const blocks = [...text.matchAll(/^```\w*\n([\s\S]*?)^```/gm)].flatMap(([, code = ""]) => code.split("\n"));
  const inline = [...text.replace(/^```[\s\S]*?^```/gm, "").matchAll(/`([^`\n]+)`/g)].map(
    ([, code = ""]) => code,
  );
  return [...blocks, ...inline];
}

async function help(...args: string[]): Promise<string> {
  let text = "";
  const keep = (printed: string) => {
    text += printed;
  };
  await runCli({
    args: ["help", ...args],
    environment: {},
    out: keep,
    err: keep,
    input: async () => new Uint8Array(),
  });
  return text;
}

let server: Running;
beforeAll(async () => {
  server = await startMailkeep();
});
afterAll(() => server.stop());

describe.each(pages)("%s", (page) => {
  test("has no link that leads nowhere", async () => {
    const text = read(page).replace(/^```[\s\S]*?^```/gm, "");
    for (const [, target = ""] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [path = "", anchor] = target.split("#");
      const file = path === "" ? page : join(dirname(page), path);
      expect({ target, exists: await Bun.file(join(root, file)).exists() }).toEqual({ target, exists: true });
      if (anchor === undefined) continue;
      const anchors = [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
        heading.toLowerCase().replaceAll(" ", "-"),
      );
      expect(anchors).toContain(anchor);
    }
  });

  test("shows only commands and flags that exist", async () => {
    for (const line of codeOf(page)) {
      const [, given] = /(?:^|[|&;] ?|\/)mailkeep((?: [^|&;#]*)?)/.exec(line) ?? [];
      if (given === undefined || /ghcr\.io|github|docker|brew/.test(line)) continue;
      const own = given.split(" -- ")[0] ?? "";
      const [first = "serve"] = own.trim().split(/\s+/);
      const command = /^[a-z]+$/.test(first) ? first : "serve";
      if (["help", "version"].includes(command)) continue;
      const explained = await help(command);
      expect(explained).not.toContain("unknown command");
      for (const [flag] of own.matchAll(FLAG))
        expect({ line, explained }).toEqual({ line, explained: expect.stringContaining(flag) });
    }
  });

  test("names only flags that exist", async () => {
    const commands = [...(await help()).matchAll(/^ {2}(\w+) {2}/gm)].map(([, name = ""]) => name);
    const explained = await Promise.all(commands.map((name) => help(name)));
    const scripts = ["install.sh", "scripts/bench/options.ts"].map(read);
    const known = new Set([...explained, ...scripts].join("\n").match(FLAG));
    // In tables that compare programs, the last column is that of Mailkeep.
    const ours = read(page)
      .replace(/^```[\s\S]*?^```/gm, "")
      .split("\n")
      .map((line) => (page.endsWith("migrating.md") && line.startsWith("|") ? line.split("|").at(-2) : line));
    const named = ours.join("\n").match(/(?<=`)--[a-z][a-z-]+/g) ?? [];
    expect(named.filter((flag) => !known.has(flag))).toEqual([]);
  });

  test("names only variables that exist", () => {
    const known = [
      ...variablesOf(SERVE_SETTINGS),
      ...[
        "MAILKEEP_URL",
        "MAILKEEP_TOKEN",
        "MAILKEEP_SMTP",
        "MAILKEEP_INSTALL_DIR",
        "MAILKEEP_VERSION",
        "MAILKEEP_BASE_URL",
      ],
    ];
    for (const [variable] of read(page).matchAll(/MAILKEEP_[A-Z_]+[A-Z]/g)) expect(known).toContain(variable);
  });

  test("has only YAML, TOML and JSON that can be read, and only TOML keys that are settings", () => {
    const readers = { yaml: Bun.YAML.parse, toml: Bun.TOML.parse, json: JSON.parse };
    for (const [language, parse] of Object.entries(readers)) {
      const blocks = read(page).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"));
      for (const [, block = ""] of blocks) {
        const parsed: unknown = parse(block);
        expect(parsed).toBeObject();
        if (language !== "toml") continue;
        const keys = Object.keys(SERVE_SETTINGS).map(flagName);
        for (const key of Object.keys(Object(parsed))) expect(keys).toContain(key);
      }
    }
  });

  test("names only routes that exist", async () => {
    const { paths } = (await (await fetch(`${server.http}/api/v1/openapi.json`)).json()) as {
      paths: Record<string, Record<string, unknown>>;
    };
    const shape = (path: string) => path.replaceAll(/\{\w+\}/g, "{}");
    const routes = new Set(
      Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${shape(path)}`),
      ),
    );
    const columns = read(page)
      .split("\n")
      .map((line) => (page.endsWith("migrating.md") ? (line.split("|").at(-2) ?? "") : line));
    for (const [, method, path = ""] of columns
      .join("\n")
      .matchAll(/(GET|POST|PATCH|DELETE) (\/api\/v1\/[^\s?`"']+)/g)) {
      expect([...routes]).toContain(`${method} ${shape(path)}`);
    }
  });
});

test("the README names the client of this version", () => {
  expect(read("README.md")).toContain(`/releases/download/v${VERSION}/${CLIENT_PACKAGE}`);
});

test.each([
  ["README.md", 'from "bun:test"'],
  ["README.md", 'from "vitest"'],
  ["docs/frameworks.md", 'require("mailkeep/client")'],
])("the example of %s with %s waits less than the 5 s after which a runner ends a test", (page, mark) => {
  const blocks = [...read(page).matchAll(/^```[jt]s\n([\s\S]*?)^```/gm)].map(([, code = ""]) => code);
  const [example = ""] = blocks.filter((code) => code.includes(mark));
  const spans = (name: string) =>
    [...example.matchAll(new RegExp(`${name}: "([^"]+)"`, "g"))].map(
      ([, time = ""]) => parseDuration(time) ?? 0,
    );
  const DEFAULT_MS = 4000;
  const longest = Math.max(DEFAULT_MS, ...spans("timeout"));
  expect(longest + Math.max(0, ...spans("settle"))).toBeLessThan(5000);
});

test("docs/client.md names all methods of the client", () => {
  const page = read("docs/client.md");
  const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(client.connect())).filter(
    (name) => !["constructor", "url"].includes(name),
  );
  expect(methods.filter((name) => !page.includes(`\`${name}(`) && !page.includes(`\`${name}.`))).toEqual([]);
  const errors = Object.keys(client).filter((name) => name.endsWith("Error"));
  let filters: string[] = [];
  try {
    client.describeFilter({ unknown: true } as client.MailFilter);
  } catch (error) {
    filters = String(error).split("known: ")[1]?.split(", ") ?? [];
  }
  expect(filters).toContain("has_attachments");
  expect([...errors, ...filters].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test("docs/api.md names every code of an error", () => {
  const files = [...new Bun.Glob("src/http/**/*.ts").scanSync(root)].map(read).join("\n");
  const thrown = files.matchAll(
    /(?:new Problem\(\s*\d+,|badRequest\(|notFound\(|upgradeRequired\()\s*"([a-z_]+)"/g,
  );
  const mapped = read("src/http/plugins/errors.ts").matchAll(/^ {2}([a-z_]+): [45]\d\d,$/gm);
  const codes = [...thrown, ...mapped].map(([, code = ""]) => code);
  expect(codes.length).toBeGreaterThan(30);
  expect(codes.filter((code) => !read("docs/api.md").includes(`\`${code}\``))).toEqual([]);
});

const canRun = ["bash", "curl", "jq"].every((tool) => Bun.which(tool) !== null);
test.skipIf(!canRun)("every example of docs/api.md works, in order", async () => {
  const examples = [...read("docs/api.md").matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, code]) => code);
  const script = ["set -eu -o pipefail", ...examples]
    .join("\n")
    .replaceAll("http://127.0.0.1:8025", server.http)
    .replaceAll("smtp://127.0.0.1:1025", `smtp://127.0.0.1:${server.smtpPort}`)
    .replaceAll('"port": 1025', `"port": ${server.smtpPort}`);
  const { code, out, err } = await runProgram(["bash", "-x", "-c", script]);
  expect({ code, last: err.split("\n").slice(-4) }).toEqual({ code: 0, last: expect.anything() });
  expect(out).toContain("482913\nhttps://shop.example.com/confirm?t=abc\nitem,price");
});
