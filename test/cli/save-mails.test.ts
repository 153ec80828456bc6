import { expect, test } from "bun:test";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { saveMails } from "../../src/cli/remote/save.ts";
import { connect, type MessageSummary } from "../../src/client/index.ts";

test("a mail that is deleted during the export does not stop the saving of the others", async () => {
  const gone = { error: "No message has this id.", code: "unknown_message" };
  await using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) =>
      url.includes("/B/") ? Response.json(gone, { status: 404 }) : new Response("Subject: hi\r\n\r\n"),
  });
  const folder = await mkdtemp(join(tmpdir(), "mailkeep-save-"));
  const mails = ["A", "B", "C"].map((id) => ({ id }) as MessageSummary);
  expect(await saveMails(connect({ url: server.url.href, since: "all" }), mails, folder)).toBe(2);
  expect((await readdir(folder)).sort()).toEqual(["A.eml", "C.eml"]);
  await rm(folder, { recursive: true });
});
