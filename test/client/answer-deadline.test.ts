import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from "bun:test";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { answerInTime } from "../../src/client/transport.ts";

const PATIENCE_MS = 300;
const HEAD = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n";

let server: Server;
let url: string;
/** Resolves with the connection of the request. */
let asked: PromiseWithResolvers<Socket>;
beforeAll(async () => {
  server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", () => asked.resolve(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
});
beforeEach(() => {
  asked = Promise.withResolvers();
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const ask = (signal: AbortSignal) => fetch(url, { signal });

test("a server that accepts the connection and stays silent does not keep its client waiting", async () => {
  const answer = answerInTime(10, undefined, ask, 10);
  await asked.promise;
  jest.advanceTimersByTime(20);
  await expect(answer).rejects.toThrow("no answer within 20 ms");
});

test("an answer that has begun may take its time", async () => {
  const answer = answerInTime(0, undefined, ask, PATIENCE_MS);
  const socket = await asked.promise;
  socket.write(HEAD);
  const response = await answer;
  jest.advanceTimersByTime(10 * PATIENCE_MS);
  socket.write("body");
  expect(await response.text()).toBe("body");
});

test("the caller may give up earlier", async () => {
  const caller = new AbortController();
  const answer = answerInTime(0, caller.signal, ask, 60_000);
  caller.abort(new Error("enough"));
  await expect(answer).rejects.toThrow("enough");
});
