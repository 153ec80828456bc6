// A server that has no free file descriptors, is suspended, or releases mail to silent hosts.
import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { canMeasure, descriptorsOf } from "../../../scripts/bench/process-usage.ts";
import { useFolders } from "../../support/folders.ts";
import { health, listAll, rawOf, total } from "../../support/mailbox.ts";
import { startMailkeep } from "../../support/mailkeep.ts";
import { deliver, openSession, sendMail } from "../../support/smtp-client.ts";
import { until } from "../../support/until.ts";

const freshFolder = useFolders();
const MAIL = { raw: "Subject: kept\r\n\r\nbody\r\n" };

function hold(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1" });
    socket.once("connect", () => resolve(socket));
    socket.once("error", reject);
  });
}

describe.skipIf(!canMeasure)("without file descriptors (counted on Linux)", () => {
  const LIMIT = 80;
  const limitedTo = (limit: number) => ["sh", "-c", `ulimit -n ${limit}; exec "$@"`, "sh"];
  const limited = limitedTo(LIMIT);

  test("with just enough of them everything works at once", async () => {
    await using server = await startMailkeep({ dataDir: freshFolder(), through: limitedTo(64) });
    const large = `Subject: large\r\n\r\n${"x".repeat(500_000)}`;
    const ids = await Promise.all([1, 2, 3].map(() => deliver(server.smtpPort, { raw: large })));
    const paths = ["?q=large", ...ids.flatMap((id) => [`/${id}`, `/${id}/raw`, `/${id}/links`])];
    const answers = await Promise.all(paths.map((path) => fetch(`${server.http}/api/v1/messages${path}`)));
    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
    expect(await total(server.http, "q=large")).toBe(3);
    expect(await health(server.http)).toBe("ok");
  });

  test("sessions go on, a mail that needs a file is refused and leaves nothing, and all is well afterwards", async () => {
    const dataDir = freshFolder();
    await using server = await startMailkeep({ dataDir, through: limited });
    const session = await openSession(server.smtpPort);
    const httpPort = Number(new URL(server.http).port);
    const before = descriptorsOf(server.process.pid);
    const crowd = await Promise.all(Array.from({ length: LIMIT + 20 }, () => hold(httpPort)));
    await until(() => descriptorsOf(server.process.pid) >= LIMIT, "the last descriptor to be taken");

    const send = (bytes: number) =>
      sendMail(session, { raw: `Subject: ${bytes}\r\n\r\n${"x".repeat(bytes)}` });
    expect(await send(100)).toStartWith("250");
    expect(await send(500_000)).toStartWith("451");
    expect(await send(200)).toStartWith("250");
    expect(readdirSync(join(dataDir, "incoming"))).toEqual([]);

    for (const socket of crowd) socket.destroy();
    await until(() => descriptorsOf(server.process.pid) <= before + 10, "the descriptors to be free again");
    expect(await send(500_000)).toStartWith("250");
    expect(await health(server.http)).toBe("ok");
    const found = await listAll(server.http);
    expect(found.map(({ subject }) => subject)).toEqual(["500000", "200", "100"]);
    for (const { id, size } of found) expect((await rawOf(server.http, id)).length).toBe(size);
    expect(await total(server.http, "q=200")).toBe(1);
    expect(await server.stop()).toBe(0);
  });
});

describe.skipIf(process.platform === "win32")("SIGSTOP and SIGCONT", () => {
  test("a server that was suspended answers everybody who waited, and stores each mail once", async () => {
    await using server = await startMailkeep({ dataDir: freshFolder(), args: ["--smtp-idle-timeout=5s"] });
    const session = await openSession(server.smtpPort);
    await session.command("MAIL FROM:<a@example.com>");
    await session.command("RCPT TO:<b@example.com>");
    await session.command("DATA");
    session.write("Subject: across the stop\r\n\r\nfirst half, ");
    server.process.kill("SIGSTOP");
    session.write("second half\r\n.\r\n");
    const strangers = Array.from({ length: 20 }, () => deliver(server.smtpPort, MAIL));
    const listed = total(server.http);
    // This is longer than the idle time-out, but the clients sent something while the server was suspended.
    await Bun.sleep(5200);
    server.process.kill("SIGCONT");
    expect(await session.reply()).toStartWith("250");
    const ids = await Promise.all(strangers);
    expect(new Set(ids).size).toBe(20);
    expect(await listed).toBeLessThanOrEqual(21);
    expect(await total(server.http)).toBe(21);
    expect(await total(server.http, "q=second")).toBe(1);
    expect(await health(server.http)).toBe("ok");
  });
});

test("release targets that never answer delay neither other work nor the stop", async () => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => void sockets.add(socket.on("error", () => {})));
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const { port } = silent.address() as { port: number };
  try {
    await using server = await startMailkeep({ dataDir: freshFolder() });
    const id = await deliver(server.smtpPort, MAIL);
    const releases = Array.from({ length: 50 }, () =>
      fetch(`${server.http}/api/v1/messages/${id}/release`, {
        method: "POST",
        body: JSON.stringify({ host: "127.0.0.1", port }),
      }).then(
        ({ status }) => status,
        () => "cut off",
      ),
    );
    await until(() => sockets.size === 50, "all releases to be connected");
    for (let index = 0; index < 50; index++) await deliver(server.smtpPort, MAIL);
    expect(await total(server.http)).toBe(51);
    expect(await server.stop()).toBe(0);
    for (const outcome of await Promise.all(releases)) expect(outcome).not.toBe(200);
  } finally {
    for (const socket of sockets) socket.destroy();
    silent.close();
  }
});
