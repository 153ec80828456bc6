import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AddressInfo, createServer, type Server } from "node:net";
import { answerInTime, readInTime } from "../../src/client/answer-deadline.ts";

/** Long enough for a busy machine to say the next word in it. */
const PATIENCE_MS = 300;
const HEAD = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n";

let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (request) => {
      const [, path = ""] = String(request).split(" ");
      if (path !== "/") socket.write(HEAD);
      if (path === "/half-body") socket.write("bo");
      if (path === "/slow-body") setTimeout(() => socket.end("body"), PATIENCE_MS + 50);
      if (path === "/dripping")
        for (const [index, byte] of [..."body"].entries())
          setTimeout(() => socket.write(byte), (index * PATIENCE_MS) / 2.5);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
});

test("a server that takes the connection and says nothing kept its client waiting for minutes", async () => {
  const asked = answerInTime(10, undefined, ({ signal }) => fetch(url, { signal }), 10);
  await expect(asked).rejects.toThrow("no answer within 20 ms");
});

test("an answer that has begun may take its time", async () => {
  const response = await answerInTime(
    0,
    undefined,
    ({ signal }) => fetch(`${url}/slow-body`, { signal }),
    PATIENCE_MS,
  );
  expect(await response.text()).toBe("body");
});

test("one that stops in the middle is given up, too: it was waited for without end", async () => {
  const asked = answerInTime(
    0,
    undefined,
    async (deadline) => readInTime(await fetch(`${url}/half-body`, { signal: deadline.signal }), deadline),
    40,
  );
  await expect(asked).rejects.toThrow("no answer within 40 ms");
});

test("as long as something comes it may take longer than that", async () => {
  const bytes = await answerInTime(
    0,
    undefined,
    async (deadline) => readInTime(await fetch(`${url}/dripping`, { signal: deadline.signal }), deadline),
    PATIENCE_MS,
  );
  expect(new TextDecoder().decode(bytes)).toBe("body");
});

test("the caller may give up before", async () => {
  const caller = new AbortController();
  const asked = answerInTime(0, caller.signal, ({ signal }) => fetch(url, { signal }), 60_000);
  caller.abort(new Error("enough"));
  await expect(asked).rejects.toThrow("enough");
});
