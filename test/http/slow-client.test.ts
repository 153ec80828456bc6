// A WebSocket client that stops reading while events come, and continues later.
import { afterEach, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { EventBus } from "../../src/events/index.ts";
import { setCaller } from "../../src/http/caller.ts";
import type { ClientData } from "../../src/http/websocket/event-stream.ts";
import { EventStreams } from "../../src/http/websocket/streams.ts";
import type { InboxEvent } from "../../src/model/index.ts";

const HANDSHAKE =
  "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
const EVENT: InboxEvent = {
  type: "message:tags",
  data: { id: "01JCMZ5T0GQ3V4W5X6Y7Z8A9BC", tags: ["x".repeat(50_000)] },
};

const MiB = 1024 * 1024;

let bus: EventBus<InboxEvent>;
let events: EventStreams;
let server: Bun.Server<ClientData>;

function start(limits: { readonly maxWaitingBytes?: number; readonly maxAllWaitingBytes?: number } = {}) {
  bus = new EventBus<InboxEvent>(() => {});
  events = new EventStreams({
    removalOf: () => undefined,
    events: () => bus,
    store: { position: null, refresh: async () => {} },
    maxClients: 20,
    ...limits,
    previewOf: async () => null,
    now: () => new Date(),
    server: () => server,
    serverOf: () => server,
  });
  server = Bun.serve<ClientData>({
    port: 0,
    websocket: events.handlers,
    fetch: (request) => {
      setCaller(request, { name: null, role: "admin", inboxes: null });
      return events.upgrade(request, {
        resume: false,
        preview: false,
        since: undefined,
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

async function standStill(): Promise<Socket> {
  start();
  const socket = await connected();
  while (events.clientCount === 1) {
    for (let n = 0; n < 50; n++) bus.publish(EVENT);
    await new Promise(setImmediate);
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

test("it is closed with a reason once it has read what was on its way", async () => {
  const socket = await standStill();
  expect(server.pendingWebSockets).toBe(1);
  const tail = lastBytes(socket);
  socket.resume();
  expect((await tail).toString("latin1")).toEndWith("\x03\xf5too slow: reload");
  expect(server.pendingWebSockets).toBe(0);
});

test("it gets no events after it fell behind", async () => {
  const socket = await standStill();
  bus.publish({ type: "messages:clear" });
  const tail = lastBytes(socket);
  socket.resume();
  expect((await tail).toString("latin1")).not.toContain("messages:clear");
});

test("it does not keep the server from stopping", async () => {
  const socket = await standStill();
  events.close();
  expect(server.pendingWebSockets).toBe(0);
  socket.destroy();
});

/**
 * Publishes until at most this many clients are left, and returns the published bytes. A client that reads gets each event
 * before the next, so that a busy machine does not make it slow.
 */
async function publishUntil(clients: number, reading?: Socket): Promise<number> {
  let published = 0;
  while (events.clientCount > clients && published < 64 * MiB) {
    bus.publish(EVENT);
    published += 50_000;
    do await new Promise(setImmediate);
    while (reading && reading.bytesRead < published);
  }
  return published;
}

test("ten stalled clients may each hold less than one; a client that reads stays connected", async () => {
  start({ maxWaitingBytes: 100 * MiB, maxAllWaitingBytes: 4 * MiB });
  const reading = await connected();
  reading.resume();
  const still = await Promise.all(Array.from({ length: 10 }, connected));
  expect(await publishUntil(1, reading)).toBeLessThan(64 * MiB);
  const heard = new Promise<string>((resolve) => {
    reading.on("data", (chunk) => String(chunk).includes("messages:clear") && resolve("heard"));
  });
  bus.publish({ type: "messages:clear" });
  expect(await heard).toBe("heard");
  expect(events.clientCount).toBe(1);
  for (const socket of [reading, ...still]) socket.destroy();
});

test("clients told to reload that do not read still count against the memory limit", async () => {
  start({ maxWaitingBytes: 100 * MiB, maxAllWaitingBytes: 40 * MiB });
  const still = await Promise.all(Array.from({ length: 9 }, connected));
  expect(await publishUntil(0)).toBeLessThan(64 * MiB);
  still.push(await connected());
  expect(await publishUntil(0)).toBeLessThan(25 * MiB);
  for (const socket of still) socket.destroy();
});
