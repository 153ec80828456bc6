import { expect, test } from "bun:test";
import { useFolders } from "../support/folders.ts";
import { startMailkeep } from "../support/mailkeep.ts";
import { deliver } from "../support/smtp-client.ts";

const freshFolder = useFolders();

test("--tag-plus-addresses and --tag-header tag a mail as it arrives, for good", async () => {
  const dataDir = freshFolder();
  const server = await startMailkeep({ dataDir, args: ["--tag-plus-addresses", "--tag-header=X-Tags"] });
  const raw = "Subject: s\r\nX-Tags: ci, nightly\r\n\r\nbody\r\n";
  const id = await deliver(server.smtpPort, { to: ["user+checkout@example.com"], raw });
  const tags = async (http: string) => {
    const response = await fetch(`${http}/api/v1/messages?tag=nightly`);
    return ((await response.json()) as { messages: { id: string; tags: string[] }[] }).messages;
  };
  const expected = [expect.objectContaining({ id, tags: ["checkout", "ci", "nightly"] })];
  expect(await tags(server.http)).toEqual(expected);
  expect(await server.stop()).toBe(0);
  await using again = await startMailkeep({ dataDir });
  expect(await tags(again.http)).toEqual(expected);
});
