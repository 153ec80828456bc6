import { afterEach, expect, test } from "bun:test";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import { converse } from "../../src/cli/commands/send.ts";
import { explainFailure } from "../../src/cli/mail/smtp-target.ts";
import type { DeliveryError } from "../../src/smtp-client/index.ts";

let server: Server | undefined;
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server?.close();
});

async function startServer(onConnection: (socket: Socket) => void) {
  server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { host: "127.0.0.1", port, isTls: false, credentials: null };
}

async function conversationWith(onConnection: (socket: Socket) => void, input: PassThrough) {
  const target = await startServer(onConnection);
  let heard = "";
  const out = (text: string) => {
    heard += text;
  };
  const end = await converse(target, input, out).then(
    () => "well",
    (error: DeliveryError) => explainFailure(error, target).replace(`127.0.0.1:${target.port}`, "it"),
  );
  return { heard, end };
}

test("the words of both sides are passed on", async () => {
  let said = "";
  const input = new PassThrough();
  input.end("EHLO me\r\nQUIT\r\n");
  const answer = await conversationWith((socket) => {
    socket.write("220 hi\r\n");
    socket.on("data", (bytes) => {
      said += bytes;
      if (said.endsWith("QUIT\r\n")) socket.end();
    });
  }, input);
  expect([answer, said]).toEqual([{ heard: "220 hi\r\n", end: "well" }, "EHLO me\r\nQUIT\r\n"]);
});

test("a server that closes without a greeting is an error", async () => {
  expect(await conversationWith((socket) => socket.end(), new PassThrough())).toEqual({
    heard: "",
    end: "it: the server closed the connection; if the server expects TLS from the start, use smtps:// in --smtp",
  });
});
