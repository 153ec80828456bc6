import { afterEach, expect, test } from "bun:test";
import { type AddressInfo, createServer, type Server } from "node:net";
import { LastingDelivery } from "../../src/cli/mail/lasting-delivery.ts";

let server: Server | undefined;
afterEach(() => server?.close());

/** Takes two commands of a kind on each connection, and says 421 to the third. */
async function startImpatient(kind: string) {
  const sessions: string[][] = [];
  server = createServer((socket) => {
    const commands: string[] = [];
    sessions.push(commands);
    let isData = false;
    socket.on("error", () => {});
    socket.write("220 hello\r\n");
    socket.on("data", (chunk) => {
      for (const line of String(chunk).split("\r\n").filter(Boolean)) {
        if (isData && line !== ".") continue;
        commands.push(line);
        isData = line === "DATA";
        const isEnough = commands.filter((command) => command.startsWith(kind)).length > 2;
        socket.write(isEnough ? "421 enough\r\n" : isData ? "354 go\r\n" : "250 ok\r\n");
        if (isEnough) socket.end();
      }
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { target: { host: "127.0.0.1", port, isTls: false, credentials: null }, sessions };
}

test.each(["MAIL", "."])(
  "a server that ends the connection with 421 at every third %p ended the import: the others were left out",
  async (kind) => {
    const { target, sessions } = await startImpatient(kind);
    const delivery = await LastingDelivery.open(target);
    for (let n = 0; n < 5; n++)
      await delivery.send({ sender: "a@x.test", recipients: ["b@x.test"] }, Buffer.from("x\r\n"));
    await delivery.close();
    expect(sessions.map((commands) => commands.filter((command) => command === ".").length)).toEqual(
      kind === "MAIL" ? [2, 2, 1] : [3, 3, 1],
    );
  },
);
