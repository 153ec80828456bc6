// The WebSocket: exact frames, their order, resuming, previews, limits.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import Ajv2020 from "ajv/dist/2020";
import { EventHistory } from "../../src/http/websocket/history.ts";
import { until } from "../support/until.ts";
import { listen as listenAt } from "./support/events.ts";
import { HANDSHAKE, type Mailkeep, mail, startMailkeep } from "./support/mailkeep.ts";

let mailkeep: Mailkeep;
beforeEach(async () => {
  mailkeep = await startMailkeep({ http: { limits: { maxWebsockets: 3 } } });
});
afterEach(() => mailkeep.stop());

const listen = (query = "") => listenAt(`${mailkeep.url}/api/v1/ws${query}`);

const seqs = (frames: readonly string[]) => frames.map((frame) => JSON.parse(frame).seq);

test("the six events have exactly the specified frames, in the order of the changes", async () => {
  const { until } = await listen();
  const stored = await mailkeep.receive(mail("Hi"));
  const at = `/api/v1/messages/${stored.id}`;
  await mailkeep.call(at, { method: "PATCH", body: { tags: ["a"], is_starred: true, is_read: true } });
  await mailkeep.call(at, { method: "DELETE" });
  await mailkeep.call("/api/v1/messages", { method: "DELETE" });
  expect(await until(6)).toEqual([
    JSON.stringify({ type: "message:new", data: stored }),
    JSON.stringify({ type: "message:read", data: { id: stored.id, is_read: true } }),
    JSON.stringify({ type: "message:starred", data: { id: stored.id, is_starred: true } }),
    JSON.stringify({ type: "message:tags", data: { id: stored.id, tags: ["a"] } }),
    JSON.stringify({ type: "message:delete", data: { id: stored.id } }),
    JSON.stringify({ type: "messages:clear" }),
  ]);
});

test.each(["", "?resume=true", "?include=preview", "?resume=true&include=preview"])(
  "the frames of /api/v1/ws%s are as the document describes them",
  async (query) => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema((await mailkeep.call("/api/v1/openapi.json")).json, "openapi");
    const fits = ajv.compile({ $ref: "openapi#/components/schemas/InboxEvent" });
    const { until } = await listen(query);
    const { id } = await mailkeep.receive(mail("Hi"));
    const body = { tags: ["a"], is_starred: true, is_read: true };
    await mailkeep.call(`/api/v1/messages/${id}`, { method: "PATCH", body });
    await mailkeep.call(`/api/v1/messages/${id}`, { method: "DELETE" });
    await mailkeep.call("/api/v1/messages", { method: "DELETE" });
    for (const frame of await until(6)) {
      expect(fits(JSON.parse(frame)) || `${frame}: ${ajv.errorsText(fits.errors)}`).toBe(true);
    }
  },
);

test("every client gets every event, and input of clients is ignored", async () => {
  const clients = [await listen(), await listen(), await listen()];
  for (const { socket } of clients) socket.send("hello");
  const ids = [];
  for (let n = 0; n < 20; n++) ids.push((await mailkeep.receive(mail(`mail ${n}`))).id);
  for (const { until } of clients) {
    expect((await until(20)).map((frame) => JSON.parse(frame).data.id)).toEqual(ids);
  }
});

test("a client above the limit is refused with 503, and accepted when another has left", async () => {
  const clients = [await listen(), await listen(), await listen()];
  const refused = await mailkeep.call("/api/v1/ws", { headers: HANDSHAKE });
  expect(refused).toMatchObject({ status: 503, json: { code: "too_many_websockets" } });
  clients[0]?.socket.close();
  await clients[0]?.closed;
  await until(async () => (await mailkeep.call("/api/v1/info")).json.events.websockets !== 3);
  await listen();
});

test("a plain GET is told to upgrade", async () => {
  const answer = await mailkeep.call("/api/v1/ws");
  expect(answer).toMatchObject({ status: 426, json: { code: "upgrade_required" } });
  expect(answer.headers.get("upgrade")).toBe("websocket");
});

test.each([undefined, "", "8", "14", "13, 8", "013", "x"])(
  "a handshake of version %s is told that version 13 is spoken",
  async (version) => {
    const { "sec-websocket-version": _, ...others } = HANDSHAKE;
    const headers = { ...others, ...(version !== undefined && { "sec-websocket-version": version }) };
    const answer = await mailkeep.call("/api/v1/ws", { headers });
    expect(answer).toMatchObject({ status: 426, json: { code: "upgrade_required" } });
    expect(answer.headers.get("sec-websocket-version")).toBe("13");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  },
);

test.each(["?resume=1", "?since=x", "?include=body"])("%s is 400", async (query) => {
  expect((await mailkeep.call(`/api/v1/ws${query}`)).status).toBe(400);
});

test("the server says goodbye when it stops", async () => {
  const { closed } = await listen();
  await mailkeep.server.stop(1000);
  expect((await closed).code).toBe(1001);
});

describe("resume", () => {
  test("each frame also carries seq, one more each time", async () => {
    const { until } = await listen("?resume=true");
    const stored = await mailkeep.receive(mail("one"));
    await mailkeep.receive(mail("two"));
    const frames = await until(2);
    const [first = 0, second] = seqs(frames);
    expect(second).toBe(first + 1);
    expect(JSON.parse(frames[0] ?? "")).toEqual({ type: "message:new", data: stored, seq: first });
    expect((await mailkeep.call("/api/v1/info")).json.events.seq).toBe(second);
  });

  test("since replays missed events, once and in order, then continues", async () => {
    const before = await listen("?resume=true");
    await mailkeep.receive(mail("one"));
    const [seen] = seqs(await before.until(1));
    before.socket.close();
    await before.closed;
    const missed = [await mailkeep.receive(mail("two")), await mailkeep.receive(mail("three"))];
    const after = await listen(`?resume=true&since=${seen}`);
    const next = await mailkeep.receive(mail("four"));
    const frames = await after.until(3);
    expect(frames.map((frame) => JSON.parse(frame).data.id)).toEqual([...missed, next].map(({ id }) => id));
    expect(seqs(frames)).toEqual([seen + 1, seen + 2, seen + 3]);
  });

  test("since the latest replays nothing", async () => {
    await mailkeep.receive(mail("one"));
    const { seq } = (await mailkeep.call("/api/v1/info")).json.events;
    const { until } = await listen(`?since=${seq}`);
    await mailkeep.receive(mail("two"));
    expect(seqs(await until(1))).toEqual([seq + 1]);
  });

  test.each(["0", "-5", "99999999999999999999"])(
    "since=%s, which is not in the history, closes with 4001",
    async (since) => {
      await mailkeep.receive(mail("one"));
      const { closed, frames } = await listen(`?since=${since}`);
      expect(await closed).toMatchObject({ code: 4001, reason: "reload" });
      expect(frames).toEqual([]);
    },
  );
});

describe("include=preview", () => {
  test("message:new carries a preview, and the order stays", async () => {
    const { until } = await listen("?include=preview");
    const stored = await mailkeep.receive(mail("Hi", "First words.", ["From: Ann <ann@example.com>"]));
    await mailkeep.store.update([stored.id], { is_read: true });
    const [first = "", second = ""] = await until(2);
    const preview = { from_name: "Ann", from_address: "ann@example.com", snippet: "First words.", run: "" };
    expect(JSON.parse(first)).toEqual({ type: "message:new", data: { ...stored, preview } });
    expect(JSON.parse(second).type).toBe("message:read");
  });

  test("it can be combined with resuming", async () => {
    await mailkeep.receive(mail("one"));
    const { seq } = (await mailkeep.call("/api/v1/info")).json.events;
    await mailkeep.receive(mail("two"));
    const { until } = await listen(`?since=${seq}&include=preview`);
    await mailkeep.receive(mail("three"));
    const frames = (await until(2)).map((frame) => JSON.parse(frame));
    expect(frames.map((frame) => frame.data.subject)).toEqual(["two", "three"]);
    expect(frames.every((frame) => frame.data.preview.snippet === "Hello.")).toBe(true);
  });
});

describe("a client on a bare socket", () => {
  const HANDSHAKE =
    "GET /api/v1/ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";

  async function open(): Promise<Socket> {
    const socket = connect(mailkeep.server.port, "127.0.0.1");
    socket.write(HANDSHAKE);
    await new Promise((resolve) => socket.once("data", resolve));
    return socket;
  }

  test("that vanishes is forgotten", async () => {
    const socket = await open();
    expect((await mailkeep.call("/api/v1/info")).json.events.websockets).toBe(1);
    socket.destroy();
    await until(async () => (await mailkeep.call("/api/v1/info")).json.events.websockets !== 1);
  });
});

describe("the history", () => {
  const event = { type: "messages:clear" } as const;
  const eventOf = (bytes: number) => {
    const shortest = { type: "message:delete", data: { id: "" } } as const;
    return { ...shortest, data: { id: "x".repeat(bytes - JSON.stringify(shortest).length) } };
  };

  test("keeps a limited number of bytes", () => {
    const history = new EventHistory(100, 1000);
    history.keep();
    for (let n = 0; n < 5; n++) history.add(eventOf(300));
    expect(history.after(102, 20)?.map(({ seq }) => seq)).toEqual([103, 104, 105]);
    expect(history.after(101, 20)).toBeNull();
    expect(history.after(105, 20)).toEqual([]);
    expect(history.after(106, 20)).toBeNull();
    history.add(eventOf(995));
    expect(history.after(105, 20)?.map(({ seq }) => seq)).toEqual([106]);
    expect(history.after(104, 20)).toBeNull();
  });

  test("keeps no event that came before `keep` was called, and says that such events are gone", () => {
    const history = new EventHistory(100, 1000);
    history.add(event);
    history.keep();
    history.add(event);
    expect(history.after(101, 20)?.map(({ seq }) => seq)).toEqual([102]);
    expect(history.after(100, 20)).toBeNull();
  });

  test("returns no more events than it is asked for, even from far back and where numbers are left out", () => {
    let position = 0;
    const history = EventHistory.ofLog(() => position, 1_000_000);
    for (position = 1; position <= 300; position++) history.add(event);
    for (const from of [1, 2, 150, 298, 299, 300]) {
      const next = [from + 1, from + 2].filter((one) => one <= 300).map((one) => one * 2048);
      for (const seq of [from * 2048, from * 2048 + 2047])
        expect(history.after(seq, 2)?.map((entry) => entry.seq)).toEqual(next);
    }
  });

  test("a node that starts later does not know how many events of the last record a client has", () => {
    const history = EventHistory.ofLog(() => 11, 1_000_000);
    expect(history.after(11 * 2048, 20)).toBeNull();
    expect(history.after(history.seq, 20)).toEqual([]);
  });

  test("without events knows only its own number", () => {
    const history = new EventHistory(7, 10);
    expect(history.after(7, 20)).toEqual([]);
    expect(history.after(6, 20)).toBeNull();
  });
});
