// What several download at the same time lies in memory once.
import { afterAll, beforeAll, expect, mock, spyOn, test } from "bun:test";
import { connect } from "node:net";
import { SharedContent } from "../../src/http/shared-content.ts";
import { until } from "../support/until.ts";
import { type Mailkeep, mail, startMailkeep } from "./support/mailkeep.ts";

/** More than the system keeps on its way to a client that does not read. */
const SIZE = 20_000_000;

let mailkeep: Mailkeep;
let path: string;
beforeAll(async () => {
  mailkeep = await startMailkeep();
  const headers = ["Content-Type: application/pdf", "Content-Transfer-Encoding: base64"];
  const { id } = await mailkeep.receive(mail("File", Buffer.alloc(SIZE, "abc").toString("base64"), headers));
  const { attachments } = (await mailkeep.call(`/api/v1/messages/${id}/attachments`)).json;
  path = `/api/v1/messages/${id}/attachments/${attachments[0].id}`;
});
afterAll(() => mailkeep.stop());

async function startedDownload() {
  const socket = connect(Number(new URL(mailkeep.url).port), "127.0.0.1");
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await new Promise((resolve) => socket.once("data", resolve));
  return socket.pause();
}

test("a download takes no memory of its own beside another of the same: each decoded and held a whole copy", async () => {
  const opened = spyOn(mailkeep.reader, "open");
  const slow = await startedDownload();
  Bun.gc(true);
  const { status, text } = await mailkeep.call(path);
  expect({ status, size: text.length, start: text.slice(0, 6) }).toEqual({
    status: 200,
    size: SIZE,
    start: "abcabc",
  });
  expect(opened).toHaveBeenCalledTimes(1);
  slow.destroy();
  await until(async () => {
    Bun.gc(true);
    await mailkeep.call(path);
    return opened.mock.calls.length > 1;
  }, "the copy is let go when the last has it");
  opened.mockRestore();
});

test("those who ask while it is read wait for the same; what failed is tried anew", async () => {
  const shared = new SharedContent();
  const { promise, reject } = Promise.withResolvers<Blob>();
  const failing = [shared.get("a", 1, () => promise), shared.get("a", 1, () => promise)];
  const blob = new Blob(["b"]);
  const other = shared.get("b", 1, async () => blob);
  reject(new Error("broken"));
  expect((await Promise.allSettled(failing)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await shared.get("a", 1, async () => blob)).toBe(blob);
  expect(await other).toBe(blob);
  expect(await shared.get("b", 1, () => Promise.reject(new Error("read again")))).toBe(blob);
});

test("large ones are read one after the other, for all that are read together are held together; a small one goes ahead", async () => {
  const shared = new SharedContent();
  const large = [Promise.withResolvers<Blob>(), Promise.withResolvers<Blob>()] as const;
  const read = large.map(({ promise }) => mock(() => promise));
  const asked = read.map((load, at) => shared.get(`large ${at}`, SIZE, load).catch(() => "failed"));
  const blob = new Blob(["small"]);
  expect(await shared.get("small", 5, async () => blob)).toBe(blob);
  expect(read.map((load) => load.mock.calls.length)).toEqual([1, 0]);
  large[0].reject(new Error("broken"));
  large[1].resolve(blob);
  expect(await Promise.all(asked)).toEqual(["failed", blob]);
});

test("of the large ones that wait the smallest is next: a picture waited behind all that was asked for before", async () => {
  const shared = new SharedContent();
  const order: number[] = [];
  const get = (size: number) =>
    shared.get(`${size}`, size, async () => {
      order.push(size);
      return new Blob(["x"]);
    });
  await Promise.all([20, 40, 30, 2].map((size) => get(size * 1024 ** 2)));
  expect(order).toEqual([20, 2, 30, 40].map((size) => size * 1024 ** 2));
});
