import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from "bun:test";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { answerInTime, type Deadline, readInTime } from "../../src/client/answer-deadline.ts";

const PATIENCE_MS = 300;
const HEAD = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n";

let server: Server;
let url: string;
/** The connection of a request, which the test answers. */
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

const ask = ({ signal }: Pick<Deadline, "signal">) => fetch(url, { signal });

test("a server that takes the connection and says nothing kept its client waiting for minutes", async () => {
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

/**
 * Starts to read an answer after its head. The test writes the rest piece by piece, each after the one before was read.
 */
async function beginToRead() {
  let came = Promise.withResolvers<void>();
  const body = answerInTime(
    0,
    undefined,
    async ({ signal, goesOn }) =>
      readInTime(await ask({ signal }), {
        signal,
        goesOn: () => {
          goesOn();
          came.resolve();
        },
      }),
    PATIENCE_MS,
  );
  const socket = await asked.promise;
  const write = async (bytes: string) => {
    came = Promise.withResolvers();
    socket.write(bytes);
    await came.promise;
  };
  await write(HEAD);
  return { body, write };
}

test("one that stops in the middle is given up, too: it was waited for without end", async () => {
  const { body, write } = await beginToRead();
  await write("bo");
  jest.advanceTimersByTime(PATIENCE_MS);
  await expect(body).rejects.toThrow(`no answer within ${PATIENCE_MS} ms`);
});

test("as long as something comes it may take longer than that", async () => {
  const { body, write } = await beginToRead();
  for (const byte of "body") {
    jest.advanceTimersByTime(PATIENCE_MS - 1);
    await write(byte);
  }
  expect(new TextDecoder().decode(await body)).toBe("body");
});

test("the caller may give up before", async () => {
  const caller = new AbortController();
  const answer = answerInTime(0, caller.signal, ask, 60_000);
  caller.abort(new Error("enough"));
  await expect(answer).rejects.toThrow("enough");
});
