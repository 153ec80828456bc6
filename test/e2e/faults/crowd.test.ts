// Mail arrives while 2,000 SMTP connections are idle and 1,000 WebSockets listen: every WebSocket
// gets every event, requests are answered, and descriptors are freed when the clients leave.
import { expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { EventClient } from "../../../scripts/bench/event-client.ts";
import { canMeasure, descriptorsOf } from "../../../scripts/bench/process-usage.ts";
import { health, total } from "../../support/mailbox.ts";
import { startMailkeep } from "../../support/mailkeep.ts";
import { deliver } from "../../support/smtp-client.ts";
import { until } from "../../support/until.ts";

const IDLE = 2000;
const LISTENERS = 1000;
const MAILS = 100;

/** How many descriptors a process may have. The test and the server each need one for every connection. */
const descriptors = canMeasure
  ? Number(Bun.spawnSync(["sh", "-c", "ulimit -n"]).stdout.toString().trim().replace("unlimited", "1000000"))
  : 0;

async function greeted(port: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect({ port, host: "127.0.0.1" });
  socket.once("data", () => resolve(socket));
  socket.once("error", reject);
  return promise;
}

test.skipIf(descriptors < 4096)(
  "2,000 idle SMTP clients and 1,000 WebSockets hold nobody up and miss nothing (needs ulimit -n 4096)",
  async () => {
    await using server = await startMailkeep({
      args: ["--max-connections=3000", `--max-websockets=${LISTENERS}`],
    });
    const before = descriptorsOf(server.process.pid);
    let frames = 0;
    const idle: Socket[] = [];
    const listeners: EventClient[] = [];
    for (let done = 0; done < IDLE; done += 100)
      idle.push(...(await Promise.all(Array.from({ length: 100 }, () => greeted(server.smtpPort)))));
    for (let done = 0; done < LISTENERS; done += 100)
      listeners.push(
        ...(await Promise.all(
          Array.from({ length: 100 }, () => EventClient.connect(server.http, () => frames++)),
        )),
      );

    for (let sent = 0; sent < MAILS; sent += 10) {
      await Promise.all(
        Array.from({ length: 10 }, () => deliver(server.smtpPort, { raw: "Subject: flows\r\n\r\nbody\r\n" })),
      );
      expect(await total(server.http, "q=flows")).toBe(sent + 10);
    }
    await until(() => frames === MAILS * LISTENERS, "every event at every listener");
    expect(await total(server.http)).toBe(MAILS);
    expect(listeners.filter(({ isLost }) => isLost)).toEqual([]);
    expect(idle.filter(({ readyState }) => readyState !== "open")).toEqual([]);

    for (const socket of idle) socket.destroy();
    for (const listener of listeners) listener.close();
    await until(() => descriptorsOf(server.process.pid) <= before + 20, "the descriptors to be free again");
    expect(await health(server.http)).toBe("ok");
    expect(await server.stop()).toBe(0);
    expect(server.lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  },
);
