import { beforeEach, describe, expect, test } from "bun:test";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { connect } from "../../src/client/index.ts";
import { useFolders } from "../support/folders.ts";
import { runMailkeep, startMailkeep } from "../support/mailkeep.ts";
import { deliver } from "../support/smtp-client.ts";

const freshFolder = useFolders();
let dataDir: string;
beforeEach(() => {
  dataDir = freshFolder();
});

async function storeThree(): Promise<void> {
  await using server = await startMailkeep({ dataDir });
  for (const word of ["apple", "banana", "cherry"]) {
    await deliver(server.smtpPort, { raw: `Subject: ${word}\r\n\r\n${word} pie\r\n` });
  }
  // A search waits until the text index is complete.
  expect(await connect({ url: server.http, since: "all" }).count({ q: "pie" })).toBe(3);
  await server.stop();
}

async function filesWith(bytes: string): Promise<string[]> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const contents = await Promise.all(paths.map((path) => Bun.file(path).bytes()));
  return paths.filter((_path, index) => Buffer.from(contents[index] ?? []).includes(bytes));
}

const at = (...command: string[]) => runMailkeep([...command, "--data-dir", dataDir]);

describe("mailkeep verify", () => {
  test("is 0 when everything is in order", async () => {
    await storeThree();
    const { code, out } = await at("verify");
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(/^3 mails \(\d+ B\) in 1 log file: everything is in order\n$/),
    });
  });

  test("is 1 and says where when a byte of a mail has changed", async () => {
    await storeThree();
    const [path = ""] = await filesWith("banana pie");
    const bytes = Buffer.from(await Bun.file(path).bytes());
    bytes.write("BANANA", bytes.indexOf("banana pie"));
    await Bun.write(path, bytes);
    const { code, out } = await at("verify");
    expect(code).toBe(1);
    expect(out).toContain("a record does not match its checksum");
  });

  test("is 1 while a server uses the folder", async () => {
    await using server = await startMailkeep({ dataDir });
    const { code, err } = await at("verify");
    expect({ code, lines: err.trimEnd().split("\n").length }).toEqual({ code: 1, lines: 1 });
    await server.stop();
  });

  test("uses the folder that a settings file names, as serve does", async () => {
    await storeThree();
    const config = join(dataDir, "settings.toml");
    await Bun.write(config, `data-dir = ${JSON.stringify(dataDir)}\nsmtp-port = 0\n`);
    for (const command of ["verify", "reindex"]) {
      expect((await runMailkeep([command, "--config", config])).out).toStartWith("3 mails");
      const environment = { MAILKEEP_CONFIG: config };
      expect((await runMailkeep([command], { environment })).out).toStartWith("3 mails");
    }
  });

  test.each(["verify", "reindex"])("%s is 1 where there is no store, and makes none", async (command) => {
    const { code, err } = await at(command);
    expect({ code, err }).toEqual({
      code: 1,
      err: `mailkeep: ${dataDir} is not a data folder of Mailkeep\n`,
    });
    expect(await readdir(dataDir)).toEqual([]);
  });
});

describe("mailkeep reindex", () => {
  test("rebuilds lost indexes without losing mail", async () => {
    await storeThree();
    for (const path of await filesWith("SQLite format 3")) await rm(path);
    expect(await at("verify")).toMatchObject({
      code: 0,
      out: expect.stringContaining("the index is missing; it is built at the next start"),
    });
    const { code, out } = await at("reindex");
    expect({ code, out }).toEqual({ code: 0, out: "3 mails indexed\n" });
    expect((await at("verify")).code).toBe(0);
    await using server = await startMailkeep({ dataDir });
    expect(await connect({ url: server.http, since: "all" }).count({ q: "banana" })).toBe(1);
    await server.stop();
  });
});
