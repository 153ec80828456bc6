// When a subscriber to events throws, no mail is lost, and the other subscribers get every event.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { useFolders } from "../../support/folders.ts";
import { type Listener, listen } from "../../support/listen.ts";
import { listAll } from "../../support/mailbox.ts";
import { type Running, startMailkeep } from "../../support/mailkeep.ts";
import { preloaded } from "../../support/preloaded.ts";
import { deliver } from "../../support/smtp-client.ts";
import { until } from "../../support/until.ts";
import { startWebhookReceiver, subjectsOf } from "../../support/webhook-receiver.ts";

const freshFolder = useFolders();
const SECRET = "wha7-n0body-may-kn0w";
const SUBJECTS = ["one", "poison", "poison", "two", "three"];
const heardBy = ({ frames }: Listener) => frames.map(({ data }) => data.subject);
const troubles = ({ lines }: Running) => lines.filter((line) => /"level":"(warn|error)"/.test(line));

const EVERY_FRAME = ["resume=true", "resume=true&include=preview", "", "include=preview"];

/** Sends SUBJECTS to a server with subscribers of all kinds and the fault `throws` of poison.ts. */
async function sendPoison(throws: string) {
  const receiver = startWebhookReceiver();
  const server = await startMailkeep({
    dataDir: freshFolder(),
    args: [`--webhook=http://me:${SECRET}@${receiver.host}/${SECRET}`],
    environment: { THROWS: throws, ...preloaded(join(import.meta.dir, "support/poison.ts")) },
  });
  const wait = async (query: string, timeout = "5m") => {
    const response = await fetch(`${server.http}/api/v1/messages/wait?timeout=${timeout}&${query}`);
    return ((await response.json()) as { subject?: string }).subject;
  };
  const listeners = await Promise.all(EVERY_FRAME.map((query) => listen(server.http, query)));
  const waiting = [wait("subject=three"), wait("to=three@example.com"), wait("q=three")];
  // The server gets the requests in `waiting` first: they are waiting when it answers this one.
  await wait("subject=nobody", "20ms");
  const ids: string[] = [];
  for (const subject of SUBJECTS)
    ids.unshift(
      await deliver(server.smtpPort, {
        to: [`${subject}@example.com`],
        raw: `Subject: ${subject}\r\n\r\n`,
      }),
    );
  expect((await listAll(server.http)).map(({ id }) => id)).toEqual(ids);
  return {
    server,
    listeners,
    waiting,
    receiver,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      receiver.stop();
    },
  };
}

type Poisoned = Awaited<ReturnType<typeof sendPoison>>;

const expectWaitersTold = async ({ waiting }: Poisoned) =>
  expect(await Promise.all(waiting)).toEqual(["three", "three", "three"]);

async function expectWebhookTold({ receiver }: Poisoned): Promise<void> {
  await until(() => receiver.notices.length >= SUBJECTS.length, "a notice of each mail");
  expect(subjectsOf(receiver.notices)).toEqual(SUBJECTS);
}

async function expectListenersTold({ listeners }: Poisoned): Promise<void> {
  for (const listener of listeners) {
    await until(() => listener.frames.length >= SUBJECTS.length, "an event of each mail");
    expect(heardBy(listener)).toEqual(SUBJECTS);
  }
}

/** Expects that the server stops normally, and that all its warnings and errors contain `line`. */
async function expectEnd({ server }: Poisoned, line: string): Promise<void> {
  expect(await server.stop()).toBe(0);
  const logged = troubles(server);
  expect(logged).not.toBeEmpty();
  for (const trouble of logged) expect(trouble).toContain(line);
  expect(server.lines.join()).not.toContain(SECRET);
  expect(await new Response(server.process.stderr).text()).toBe("");
}

describe("a mail at which one subscriber throws is stored, and reaches all others:", () => {
  test("WebSocket clients who miss it are told to reload", async () => {
    await using poisoned = await sendPoison("send");
    const { server, listeners } = poisoned;
    for (const listener of listeners) {
      expect(await listener.closed).toBe(4001);
      expect(heardBy(listener)).toEqual(["one"]);
    }
    for (const query of ["", "&include=preview"]) {
      const again = await listen(server.http, `since=${listeners[0]?.frames[0]?.seq}${query}`);
      await until(() => again.frames.length === SUBJECTS.length - 1, "the events that were missed");
      expect(heardBy(again)).toEqual(SUBJECTS.slice(1));
    }
    await expectWebhookTold(poisoned);
    await expectWaitersTold(poisoned);
    await expectEnd(poisoned, '"event":"an event could not be sent","error":"Error: send met poison"');
  });

  test("a client that waits with a filter that fails goes on waiting for the next", async () => {
    await using poisoned = await sendPoison("filter");
    await expectWaitersTold(poisoned);
    await expectListenersTold(poisoned);
    await expectWebhookTold(poisoned);
    await expectEnd(poisoned, '"event":"change listener failed","error":"Error: filter met poison"');
  });

  test("a webhook whose request throws is tried again, and the secrets in its error stay out of the log", async () => {
    await using poisoned = await sendPoison("fetch");
    await expectListenersTold(poisoned);
    await expectWaitersTold(poisoned);
    await expectWebhookTold(poisoned);
    await expectEnd(poisoned, '"event":"webhook fails"');
  });
});
