// WebSocket clients that stop reading while events come, or whose credentials have ended.
import { afterEach, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { setCaller } from "../../src/http/caller.ts";
import type { ClientData } from "../../src/http/websocket/event-stream.ts";
import { EventStreams } from "../../src/http/websocket/streams.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import { EXAMPLE_SUMMARY } from "../../src/model/index.ts";
import type { MailView, StoreChange } from "../../src/store/index.ts";

const HANDSHAKE =
  "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
const TAGGED: StoreChange = {
  kind: "changed",
  fields: ["tags"],
  messages: [{ ...EXAMPLE_SUMMARY, tags: ["x".repeat(50_000)] }],
  inboxes: ["default"],
};
const CLEARED: StoreChange = { kind: "cleared", count: 1 };

const MiB = 1024 * 1024;

let announce: (change: StoreChange) => void;
let events: EventStreams;
let server: Bun.Server<ClientData>;

function start(ended?: AbortSignal) {
  const mail = {
    onChange: (listener: typeof announce) => {
      announce = listener;
      return () => {};
    },
  };
  const within = () => mail as unknown as MailView;
  events = new EventStreams({
    removalOf: () => undefined,
    store: { position: null, refresh: async () => {}, within },
    maxClients: 20,
    now: () => new Date(),
    logger: silentLogger,
    serverOf: () => server,
  });
  server = Bun.serve<ClientData>({
    port: 0,
    websocket: events.handlers,
    fetch: (request) => {
      setCaller(request, { name: null, role: "admin", inboxes: null, ...(ended && { ended }) });
      return events.upgrade(request, {
        framesOf: ({ event }) => [JSON.stringify(event)],
      }) as Promise<undefined>;
    },
  });
}
afterEach(() => server.stop(true));

async function connected(): Promise<Socket> {
  const socket = connect(server.port ?? 0, "127.0.0.1");
  socket.write(HANDSHAKE);
  await new Promise((resolve) => socket.once("data", resolve));
  return socket.pause();
}

/** Connects a client that reads nothing, and publishes more events than the server keeps for it. */
async function standStill(): Promise<Socket> {
  start();
  const socket = await connected();
  for (let n = 0; n < 15_000; n++) {
    announce(TAGGED);
    if (n % 50 === 0) await new Promise(setImmediate);
  }
  return socket;
}

function lastBytes(socket: Socket): Promise<Buffer> {
  let tail = Buffer.alloc(0);
  socket.on("data", (chunk) => {
    tail = Buffer.concat([tail, Buffer.from(chunk)]).subarray(-64);
  });
  return new Promise((resolve) => socket.once("close", () => resolve(tail)));
}

test("a client that is too slow is closed with a reason once it has read what was on its way", async () => {
  const socket = await standStill();
  expect(server.pendingWebSockets).toBe(1);
  const tail = lastBytes(socket);
  socket.resume();
  expect((await tail).toString("latin1")).toEndWith("\x03\xf5too slow: reload");
  expect(server.pendingWebSockets).toBe(0);
});

test("a client that is too slow gets no later events", async () => {
  const socket = await standStill();
  announce(CLEARED);
  const tail = lastBytes(socket);
  socket.resume();
  expect((await tail).toString("latin1")).not.toContain("messages:clear");
});

test("a client that is too slow does not keep the server from stopping", async () => {
  const socket = await standStill();
  events.close();
  expect(server.pendingWebSockets).toBe(0);
  socket.destroy();
});

function textUntilCleared(socket: Socket): Promise<string> {
  let text = "";
  return new Promise((resolve) => {
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (text.includes("messages:clear")) resolve(text);
    });
  });
}

test("a client that continues in time gets everything, and others are not held up", async () => {
  start();
  const [reading, still] = [await connected(), await connected()];
  const whatReads = textUntilCleared(reading.resume());
  for (let n = 0; n < 60; n++) {
    announce(TAGGED);
    await new Promise(setImmediate);
  }
  announce(CLEARED);
  const all = [await whatReads, await textUntilCleared(still.resume())];
  expect(all.map((text) => text.match(/message:tags/g)?.length)).toEqual([60, 60]);
  for (const socket of [reading, still]) socket.destroy();
});

test("output that waits for clients that do not read stays small", async () => {
  start();
  const still = await Promise.all(Array.from({ length: 10 }, connected));
  const before = process.memoryUsage.rss();
  for (let n = 0; n < 2000; n++) {
    announce(TAGGED);
    await new Promise(setImmediate);
  }
  expect(process.memoryUsage.rss() - before).toBeLessThan(200 * MiB);
  for (const socket of still) socket.destroy();
});

test("a client whose credentials end before it is connected is closed, and keeps no place", async () => {
  start(AbortSignal.abort());
  const socket = connect(server.port ?? 0, "127.0.0.1");
  socket.write(HANDSHAKE);
  const tail = await lastBytes(socket);
  expect(tail.toString("latin1")).toContain("\x0f\xa3the credentials expired");
  expect(events.clientCount).toBe(0);
});
