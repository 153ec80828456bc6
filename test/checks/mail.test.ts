// Reading a mail that is not stored.
import { expect, test } from "bun:test";
import { readMail } from "../../src/checks/index.ts";
import { createBodyParser } from "../../src/mime/index.ts";
import { cpuMs } from "../support/cpu-time.ts";

async function senderOf(header: string): Promise<string> {
  const parser = createBodyParser({
    startWorker: () => new Worker(new URL("../../src/worker/parse-worker.ts", import.meta.url).href),
    timeoutMs: 10_000,
    maxBytes: 1024 ** 2,
  });
  const { mail } = await readMail(new TextEncoder().encode(`${header}\r\n\r\nHello\r\n`), parser);
  parser.close();
  return mail.sender;
}

test.each([
  ["Return-Path: <bounce@example.com>\r\nFrom: shop@example.com", "bounce@example.com"],
  ['From: "Shop" <shop@example.com>', "shop@example.com"],
  ["From: shop@bücher.example", "shop@bücher.example"],
  ["Return-Path: <>", ""],
])("the sender of %j is %j", async (header, sender) => {
  expect(await senderOf(header)).toBe(sender);
});

test.each(["(", "\\", "a"])(
  "a From of 500,000 times %j is read within 2 s of processor time",
  async (character) => {
    const started = cpuMs();
    await senderOf(`From: "${character.repeat(500_000)}`);
    expect(cpuMs() - started).toBeLessThan(2000);
  },
);
