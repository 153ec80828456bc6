import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AddressInfo, createServer, type Server } from "node:net";
import { answerInTime } from "../../src/client/answer-deadline.ts";

const HEAD = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n";

let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (request) => {
      if (!String(request).startsWith("GET /slow-body")) return;
      socket.write(HEAD);
      setTimeout(() => socket.end("body"), 40);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
});

test("a server that takes the connection and says nothing kept its client waiting for minutes", async () => {
  const asked = answerInTime(10, undefined, (signal) => fetch(url, { signal }), 10);
  await expect(asked).rejects.toThrow("no answer within 20 ms");
});

test("an answer that has begun may take its time", async () => {
  const response = await answerInTime(0, undefined, (signal) => fetch(`${url}/slow-body`, { signal }), 30);
  expect(await response.text()).toBe("body");
});

test("the caller may give up before", async () => {
  const caller = new AbortController();
  const asked = answerInTime(0, caller.signal, (signal) => fetch(url, { signal }), 60_000);
  caller.abort(new Error("enough"));
  await expect(asked).rejects.toThrow("enough");
});
