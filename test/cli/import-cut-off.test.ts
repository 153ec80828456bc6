import { afterEach, expect, test } from "bun:test";
import { type AddressInfo, createServer, type Server } from "node:net";
import { runCli } from "../../src/cli/index.ts";

let server: Server | undefined;
afterEach(() => server?.close());

/** Takes two mails, and is gone with the third. */
async function startMortal(): Promise<number> {
  let mails = 0;
  server = createServer((socket) => {
    socket.on("error", () => {});
    socket.write("220 hello\r\n");
    socket.on("data", (chunk) => {
      const text = String(chunk);
      if (text.startsWith("MAIL") && mails === 2) {
        server?.close();
        socket.destroy();
      } else if (text.startsWith("DATA")) socket.write("354 go\r\n");
      else {
        if (text.endsWith("\r\n.\r\n")) mails++;
        socket.write("250 ok\r\n");
      }
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

test("an import that lost its server did not say how many mails were there already", async () => {
  const mbox = "From a@x.test Tue Nov 17 10:00:00 2026\nTo: b@x.test\n\nx\n\n".repeat(4);
  let out = "";
  let err = "";
  const code = await runCli({
    args: ["import", "--smtp", `127.0.0.1:${await startMortal()}`, "-"],
    environment: {},
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    input: async () => new TextEncoder().encode(mbox),
  });
  expect({ code, out }).toEqual({ code: 3, out: "2 mails imported before that\n" });
  expect(err).toMatch(/^mailkeep: 127\.0\.0\.1:\d+: /m);
});
