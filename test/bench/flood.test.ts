// The generator delivers exactly the mails it is asked for.
import { expect, test } from "bun:test";
import { deliver, flood, type Load } from "../../scripts/bench/flood.ts";
import { mailsOf } from "../../scripts/bench/mails.ts";
import { startTestServer } from "../smtp/test-server.ts";

const loads: readonly Load[] = [
  { kind: "2 KB", mails: 30, connections: 4, kept: true },
  { kind: "5 KB multipart", mails: 1, connections: 3, kept: true },
  { kind: "200 KB attachment", mails: 5, connections: 2, kept: true },
  { kind: "small", mails: 10, connections: 3, kept: false },
];

for (const load of loads) {
  const way = load.kept ? "kept connections" : "connections of one mail each";
  test(`${load.mails} mails of the kind '${load.kind}' arrive over ${load.connections} ${way}`, async () => {
    await using smtp = await startTestServer();
    await flood(smtp.server.port, load, 7);
    const expected = Array.from({ length: load.mails }, (_, at) =>
      mailsOf(load.kind)(7 + at).toString("latin1"),
    );
    expect(smtp.mailbox.mails.map(({ raw }) => raw.toString("latin1")).toSorted()).toEqual(
      expected.toSorted(),
    );
  });
}

test("a refused mail ends the load with the server's words", async () => {
  await using smtp = await startTestServer();
  smtp.mailbox.beforeCommit = () => {
    throw new Error("no room");
  };
  await expect(deliver(smtp.server.port, "Subject: x\r\n\r\ny\r\n")).rejects.toThrow("the server refused: 4");
});
