// The raw source of a large mail, which the store keeps in its own file.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openFiles } from "../store/open.ts";
import { tempFolder } from "../support/folders.ts";
import { type Mailkeep, mail, startMailkeep } from "./support/mailkeep.ts";

const LINES = Array.from({ length: 30_000 }, (_, line) => `This is line ${line}.`);
const LARGE = mail("Large", LINES.join("\r\n"));
const folder = tempFolder();

let mailkeep: Mailkeep;
let id: string;
beforeAll(async () => {
  mailkeep = await startMailkeep({ store: await openFiles(folder.path) });
  ({ id } = await mailkeep.receive(LARGE));
});
afterAll(async () => {
  await mailkeep.stop();
  folder.remove();
});

const largeFiles = () => readdirSync(join(folder.path, "large"));
const get = (path: string, headers = {}) => mailkeep.call(`/api/v1/messages/${id}${path}`, { headers });

describe.each(["/raw", "/export"])("%s", (path) => {
  test("comes with its length, not in chunks", async () => {
    expect(largeFiles()).toHaveLength(1);
    const { status, headers, text } = await get(path);
    expect({ status, isSame: text === LARGE }).toEqual({ status: 200, isSame: true });
    expect(headers.get("content-length")).toBe(String(LARGE.length));
    expect(headers.has("transfer-encoding")).toBe(false);
    expect(headers.get("content-type")).toBe("message/rfc822");
    expect(headers.get("content-disposition")).toBe(`attachment; filename="${id}.eml"`);
  });

  test("a range of it comes with its length, too", async () => {
    const { status, headers, text } = await get(path, { range: "bytes=400000-499999" });
    expect({ status, isSame: text === LARGE.slice(400_000, 500_000) }).toEqual({ status: 206, isSame: true });
    expect(headers.get("content-length")).toBe("100000");
    expect(headers.get("content-range")).toBe(`bytes 400000-499999/${LARGE.length}`);
  });
});

test("a missing file is an error", async () => {
  const { id: lost } = await mailkeep.receive(LARGE);
  expect((await mailkeep.call(`/api/v1/messages/${lost}/raw`)).status).toBe(200);
  rmSync(join(folder.path, "large", `${lost}.eml`));
  expect((await mailkeep.call(`/api/v1/messages/${lost}/raw`)).status).toBeGreaterThanOrEqual(400);
});
