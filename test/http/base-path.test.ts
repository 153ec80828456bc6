// Mailkeep below a path of a shared site, behind a proxy that keeps or removes this path.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { listen } from "./support/events.ts";
import { type Mailkeep, startMailkeep } from "./support/mailkeep.ts";

const PICTURE = [
  "Subject: Picture",
  "MIME-Version: 1.0",
  'Content-Type: multipart/related; boundary="b"',
  "",
  "--b",
  "Content-Type: text/html",
  "",
  '<img src="cid:logo@x">',
  "--b",
  "Content-Type: image/png",
  "Content-ID: <logo@x>",
  "",
  "png",
  "--b--",
  "",
].join("\r\n");

const INDEX = '<html data-home="/"><script src="/page.js"></script>';

describe("below /mail", () => {
  let mailkeep: Mailkeep;
  beforeAll(async () => {
    const page = {
      path: "/index.html",
      type: "text/html; charset=utf-8",
      load: async () => Buffer.from(INDEX),
    };
    mailkeep = await startMailkeep({ http: { basePath: "/mail", pages: [page] } });
    await mailkeep.receive(PICTURE);
  });
  afterAll(() => mailkeep.stop());

  const textAt = async (path: string) => (await fetch(mailkeep.url + path)).text();

  for (const path of ["/api/v1/messages", "/api/v1/messages?limit=1", "/api/v1/openapi.json", "/docs", "/"]) {
    test(`${path} is the same as at the root`, async () => {
      const below = await fetch(`${mailkeep.url}/mail${path}`);
      expect(below.status).toBe(200);
      expect(await below.text()).toBe(await textAt(path));
    });
  }

  test("the path alone, with or without a query, is the page", async () => {
    for (const path of ["/mail", "/mail?q=x", "/mail/?q=x"]) expect(await textAt(path)).toContain("page.js");
  });

  test("a path that only begins with the same letters, or has /mail elsewhere, is unknown", async () => {
    for (const path of ["/mailbox", "/mail/mail/api/v1/messages", "/x/mail/"]) {
      expect((await fetch(mailkeep.url + path)).status).toBe(404);
    }
  });

  test("the page, the documents and inline images have addresses below the path", async () => {
    expect(await textAt("/")).toBe('<html data-home="/mail/"><script src="/mail/page.js"></script>');
    expect(await textAt("/docs")).toContain('src="/mail/docs/start.js"');
    expect(await textAt("/docs/start.js")).toContain('"/mail/api/v1/openapi.json"');
    expect(JSON.parse(await textAt("/api/v1/openapi.json")).servers[0].url).toBe("/mail");
    const [{ id }] = JSON.parse(await textAt("/api/v1/messages")).messages;
    const [, image = ""] = /src="([^"]*)"/.exec(await textAt(`/api/v1/messages/${id}/html`)) ?? [];
    expect(image).toStartWith(`/mail/api/v1/messages/${id}/inline/`);
    expect(await textAt(image)).toBe("png");
  });

  test("an unknown address is answered by a page that finds its files", async () => {
    const answer = await fetch(`${mailkeep.url}/mail/nonsense`, { headers: { accept: "text/html" } });
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain('src="/mail/page.js"');
  });

  test("a link to a mail that is gone is the page, also for a caller limited to an inbox", async () => {
    const { token } = (await mailkeep.call("/api/v1/inboxes/ci-42", { method: "PUT", body: {} })).json;
    for (const headers of [{}, { authorization: `Bearer ${token}` }]) {
      const answer = await fetch(`${mailkeep.url}/messages/01ARZ3NDEKTSV4RRFFQ69G5FAV`, { headers });
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    }
  });

  test("the WebSocket works below the path", async () => {
    const { socket, until } = await listen(`${mailkeep.url}/mail/api/v1/ws`);
    await mailkeep.receive("Subject: Hello\r\n\r\n");
    const [frame = ""] = await until(1);
    expect(JSON.parse(frame).type).toBe("message:new");
    socket.close();
  });
});

test("a host with the same name as the path is not cut off", async () => {
  const mailkeep = await startMailkeep({ http: { basePath: "/mail" } });
  const { port } = new URL(mailkeep.url);
  const headers = { host: `mail:${port}` };
  expect((await fetch(`${mailkeep.url}/mail/api/v1/messages`, { headers })).status).toBe(200);
  await mailkeep.stop();
});

const hosts: [what: string, line: string][] = [
  ["a host of three letters", "Host: box\r\n"],
  ["no host, as in HTTP/1.0", ""],
];
test.each(hosts)("a request with %s is served below the path", async (_, line) => {
  const mailkeep = await startMailkeep({ http: { basePath: "/mail" } });
  const answered = Promise.withResolvers<string>();
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: Number(new URL(mailkeep.url).port),
    socket: { data: (_, bytes) => answered.resolve(bytes.toString()), close: () => answered.resolve("") },
  });
  socket.write(`GET /mail/api/v1/messages?from=http://x/y HTTP/1.0\r\n${line}\r\n`);
  expect(await answered.promise).toStartWith("HTTP/1.1 200 ");
  socket.end();
  await mailkeep.stop();
});
