// Hostile HTTP clients against the real program: can they read files of the machine, forge headers,
// poison caches, use up memory or block other clients? test/http tests other bad requests.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canMeasure, residentMegabytes } from "../../../scripts/bench/process-usage.ts";
import { health } from "../../support/mailbox.ts";
import { type Running, startMailkeep } from "../../support/mailkeep.ts";
import { deliver } from "../../support/smtp-client.ts";
import { until } from "../../support/until.ts";
import { LONG_TURN_LIMIT_MS, useTurns } from "./support/turns.ts";

const MB = 1_000_000;
let dataDir: string;
let server: Running;
let id: string;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "mailkeep-hostile-http-"));
  server = await startMailkeep({ dataDir, args: ["--max-message-size=200MiB"], environment });
  const body = `${"x".repeat(998)}\r\n`.repeat(60_000);
  id = await deliver(server.smtpPort, {
    raw: `Subject: 60 MB\r\nContent-Type: application/octet-stream; name=a.bin\r\n\r\n${body}`,
  });
});
afterAll(async () => {
  expect(await server.stop()).toBe(0);
  expect(server.lines.filter((line) => /"level":"error"|unexpected/.test(line))).toEqual([]);
  rmSync(dataDir, { recursive: true, force: true });
});
const { environment, longestTurnMs } = useTurns();

function open(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(new URL(server.http).port), host: "127.0.0.1" });
    socket.once("connect", () => resolve(socket.on("error", () => {})));
    socket.once("error", reject);
  });
}

/** Sends these bytes and returns everything that the server sends until it closes the connection. */
async function exchange(bytes: string, { halfCloses = true } = {}): Promise<string> {
  const socket = await open();
  let received = "";
  socket.setEncoding("latin1");
  socket.on("data", (text) => {
    received += text;
  });
  const closed = new Promise<void>((resolve) => void socket.once("close", () => resolve()));
  socket.write(bytes);
  if (halfCloses) socket.end();
  await closed;
  return received;
}

const get = (path: string, ...headers: string[]) =>
  exchange([`GET ${path} HTTP/1.1`, "Host: localhost", "Connection: close", ...headers, "", ""].join("\r\n"));

const headOf = (answer: string) => answer.slice(0, answer.indexOf("\r\n\r\n"));

describe("no path leads to a file of the machine", () => {
  test.each([
    "/../../../../etc/passwd",
    "/..%2f..%2f..%2f..%2fetc%2fpasswd",
    "/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
    "/assets/../../../../etc/passwd",
    "/assets/..%5c..%5c..%5cetc%5cpasswd",
    "/$bunfs/root/mailkeep",
    "//etc/passwd",
    "/api/v1/messages/..%2f..%2f..%2fetc%2fpasswd/raw",
    "/api/v1/messages/../../../../etc/passwd",
    "file:///etc/passwd",
    "/docs/../../../etc/passwd",
    "/%00/etc/passwd",
  ])("%s", async (path) => {
    const answer = await get(path);
    expect(answer).not.toContain("root:");
    expect(answer).toMatch(/^HTTP\/1\.1 [1234]\d\d /);
    expect(answer).not.toContain("\x7fELF");
  });
});

describe("the content of a mail breaks no header", () => {
  const BREAK = "%0D%0ASet-Cookie:%20evil=1%0D%0A%0D%0A<script>";
  const PARTS: Record<string, string[]> = {
    "a name in percent-encoding": [
      "Content-Type: application/x-evil",
      `Content-Disposition: attachment; filename*=utf-8''a${BREAK}`,
    ],
    "a name in encoded words": [
      "Content-Type: application/x-evil",
      `Content-Disposition: attachment; filename="=?utf-8?B?${Buffer.from(decodeURIComponent(BREAK)).toString("base64")}?="`,
    ],
    "a type": [`Content-Type: image/x\rSet-Cookie: evil=1`, "Content-Disposition: attachment"],
    "a Content-ID": [
      "Content-Type: image/png",
      `Content-ID: =?utf-8?Q?a=0D=0ASet-Cookie:=20evil=3D1?=`,
      "Content-Disposition: inline; filename=a.png",
    ],
  };

  test.each(Object.keys(PARTS))("%s", async (name) => {
    const part = PARTS[name]?.join("\r\n");
    const raw = `Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n${part}\r\n\r\nx\r\n--b--\r\n`;
    const path = `/api/v1/messages/${await deliver(server.smtpPort, { raw })}`;
    const listed = await (await fetch(`${server.http}${path}/attachments`)).json();
    const [attachment] = (listed as { attachments: { id: string }[] }).attachments;
    const answers = await Promise.all([
      get(`${path}/attachments/${attachment?.id}`),
      get(`${path}/inline/${encodeURIComponent("a\r\nSet-Cookie: evil=1")}`),
      get(`${path}/inline/a${BREAK}`),
    ]);
    expect(answers[0]).toStartWith("HTTP/1.1 200 ");
    for (const answer of answers) expect(headOf(answer)).not.toMatch(/^Set-Cookie|evil=1$/im);
  });
});

test("the host name that a client gives appears in no answer that may be cached", async () => {
  const names = [
    "Host: poison.example",
    "X-Forwarded-Host: poison.example",
    "X-Host: poison.example",
    "Forwarded: host=poison.example;proto=gopher",
    "X-Original-URL: /poison.example",
  ];
  const paths = ["/", "/docs", "/api/v1/openapi.yaml", "/api/v1/openapi.json", "/api/v1/info", "/nothing"];
  for (const path of [...paths, "/api/v1/messages", `/api/v1/messages/${id}/headers`]) {
    const ask = (...headers: string[]) =>
      exchange([`GET ${path} HTTP/1.1`, ...headers, "Connection: close", "", ""].join("\r\n"), {
        halfCloses: false,
      });
    const refused = await ask(...names, "User-Agent: Mozilla/5.0");
    // The body of a refusal contains the host name, so no cache may keep it.
    expect({ path, status: refused.slice(9, 12) }).toEqual({ path, status: "403" });
    expect(headOf(refused)).toMatch(/^cache-control: no-store$/im);
    expect({ path, poisoned: /poison|gopher/.test(headOf(refused)) }).toEqual({ path, poisoned: false });
    for (const allowed of [await ask(...names), await ask("Host: localhost", ...names.slice(1))]) {
      expect({ path, refused: allowed.slice(9, 12) === "403" }).toEqual({ path, refused: false });
      expect({ path, poisoned: /poison|gopher/.test(allowed) }).toEqual({ path, poisoned: false });
    }
  }
});

describe.skipIf(!canMeasure)("memory (measured on Linux)", () => {
  const READERS = 40;

  /** Expects little growth of memory while many clients request the path and none reads the answer. */
  async function expectLittleFor(path: string, maxGrowthMiB: number): Promise<void> {
    const before = residentMegabytes(server.process.pid);
    let most = before;
    const sockets = await Promise.all(Array.from({ length: READERS }, open));
    const longest = await longestTurnMs(LONG_TURN_LIMIT_MS, async () => {
      for (const socket of sockets) {
        socket.pause();
        socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      }
      // In this time all buffers between client and server are filled.
      const deadline = performance.now() + 1000;
      await until(() => {
        most = Math.max(most, residentMegabytes(server.process.pid));
        return performance.now() > deadline;
      }, "the buffers to fill");
    });
    const grown = most - before;
    for (const socket of sockets) socket.destroy();
    expect({ path, grown: grown < maxGrowthMiB ? "little" : Math.round(grown) }).toEqual({
      path,
      grown: "little",
    });
    expect(longest).toBeLessThan(LONG_TURN_LIMIT_MS);
  }

  test.each(["/raw", "/export", "/attachments"])(
    "does not grow with clients that ask for 60 MB and do not read it (%s)",
    async (route) => {
      const path = route === "/attachments" ? await attachmentPath() : `/api/v1/messages/${id}${route}`;
      await expectLittleFor(path, 400);
    },
  );

  test.each(["", "/html"])(
    "does not grow with clients that ask for 7 MB of HTML and do not read it (%s)",
    async (route) => {
      const html = "<p>Hello world \u00e9</p>\r\n".repeat(320_000);
      const large = await deliver(server.smtpPort, {
        raw: `Subject: 7 MB\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${html}`,
      });
      const path = `/api/v1/messages/${large}${route}`;
      expect((await fetch(server.http + path)).headers.get("mailkeep-parsed")).toBeNull();
      await expectLittleFor(path, 300);
    },
  );

  async function attachmentPath(): Promise<string> {
    const listed = await (await fetch(`${server.http}/api/v1/messages/${id}/attachments`)).json();
    const [first] = (listed as { attachments: { id: string }[] }).attachments;
    return `/api/v1/messages/${id}/attachments/${first?.id}`;
  }

  test("does not grow with WebSocket clients that send without end", async () => {
    const before = residentMegabytes(server.process.pid);
    const longest = await longestTurnMs(LONG_TURN_LIMIT_MS, async () => {
      const socket = await open();
      socket.resume();
      socket.write(
        "GET /api/v1/ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
          "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
      );
      // The head of one frame of a terabyte, then its content.
      socket.write(Buffer.from([0x82, 0xff, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
      for (let sent = 0; sent < 1000 && !socket.destroyed; sent++) {
        if (socket.write(Buffer.alloc(MB))) continue;
        await new Promise<void>((resolve) => {
          socket.once("drain", () => resolve());
          socket.once("close", () => resolve());
        });
      }
      socket.destroy();
    });
    // Up to 1,000 MB were sent. The limit is high, because the time of a garbage collection is not predictable.
    expect(residentMegabytes(server.process.pid) - before).toBeLessThan(300);
    expect(longest).toBeLessThan(LONG_TURN_LIMIT_MS);
  });

  test.each([
    ["a body without end", "POST", `/api/v1/messages/x/release`, "Transfer-Encoding: chunked"],
    [
      "a body as long as it says, which is too long",
      "PATCH",
      "/api/v1/messages",
      "Content-Length: 9000000000",
    ],
  ])("does not grow with %s", async (_, method, path, length) => {
    const before = residentMegabytes(server.process.pid);
    const sockets = await Promise.all(Array.from({ length: 20 }, open));
    const piece = Buffer.concat([Buffer.from("186a0\r\n"), Buffer.alloc(100_000, "x"), Buffer.from("\r\n")]);
    const answers = new Set<string>();
    const longest = await longestTurnMs(LONG_TURN_LIMIT_MS, async () => {
      for (const socket of sockets) {
        socket.on("data", (bytes) => void answers.add(bytes.toString("latin1", 9, 12)));
        socket.write(`${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${length}\r\n\r\n`);
        for (let sent = 0; sent < 400 && !socket.destroyed; sent++) socket.write(piece);
      }
      await until(() => answers.size > 0, "a refusal");
    });
    const grown = residentMegabytes(server.process.pid) - before;
    for (const socket of sockets) socket.destroy();
    expect([...answers]).toEqual(["413"]);
    // Up to 800 MB were sent. The limit is high, because garbage collection is not predictable.
    expect(grown).toBeLessThan(400);
    expect(longest).toBeLessThan(LONG_TURN_LIMIT_MS);
  });

  test("does not grow with requests whose head never ends", async () => {
    const before = residentMegabytes(server.process.pid);
    const sockets = await Promise.all(Array.from({ length: 50 }, open));
    const longest = await longestTurnMs(LONG_TURN_LIMIT_MS, async () => {
      for (const socket of sockets) {
        socket.resume();
        socket.write("GET /api/v1/info HTTP/1.1\r\nHost: localhost\r\nX-Long: ");
        for (let sent = 0; sent < 20 && !socket.destroyed; sent++) socket.write(Buffer.alloc(100_000, "x"));
      }
      await until(() => sockets.every(({ readyState }) => readyState !== "open"), "all to be refused");
    });
    for (const socket of sockets) socket.destroy();
    expect(residentMegabytes(server.process.pid) - before).toBeLessThan(150);
    expect(longest).toBeLessThan(LONG_TURN_LIMIT_MS);
    expect(await health(server.http)).toBe("ok");
  });
});
