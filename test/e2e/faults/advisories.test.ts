// Published security advisories of other mail catchers, tried against the real program. Each row has the name, what
// went wrong there, and the attempt. Those about SMTP alone are in the SMTP tests. None was found for Inbucket.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createClient } from "../../http/support/client.ts";
import { mail } from "../../http/support/mailkeep.ts";
import { type Running, startMailkeep } from "../../support/mailkeep.ts";
import { deliver } from "../../support/smtp-client.ts";

let server: Running;
let mailkeep: {
  readonly call: Awaited<ReturnType<typeof createClient>>;
  receive(raw: string): Promise<{ id: string }>;
};
let hits: string[];
let internal: ReturnType<typeof Bun.serve>;
beforeAll(async () => {
  server = await startMailkeep();
  mailkeep = {
    call: await createClient(server.http),
    receive: async (raw) => ({ id: await deliver(server.smtpPort, { raw }) }),
  };
  hits = [];
  internal = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      hits.push(request.url);
      return new Response("internal secret");
    },
  });
});
afterAll(async () => {
  expect(await server.stop()).toBe(0);
  await internal.stop(true);
});

const HANDSHAKE = {
  upgrade: "websocket",
  connection: "upgrade",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  "sec-websocket-version": "13",
};
const html = (body: string) => mail("x", body, ["Content-Type: text/html; charset=utf-8"]);
const everything = [
  "",
  "/html",
  "/html?remote=true",
  "/text",
  "/links",
  "/codes",
  "/headers",
  "/auth",
  "/attachments",
];

/** Asks for everything there is to know about a message. */
async function readAll(id: string) {
  const answers = await Promise.all(everything.map((path) => mailkeep.call(`/api/v1/messages/${id}${path}`)));
  return answers.map(({ text }) => text).join("\n");
}

interface Attempt {
  readonly advisory: string;
  readonly was: string;
  readonly attempt: () => Promise<void>;
}

const attempts: Attempt[] = [
  {
    advisory: "Mailpit GHSA-8v65-47jx-7mfr (CVE-2026-21859)",
    was: "a proxy route fetches any address",
    attempt: async () => {
      const target = encodeURIComponent(internal.url.href);
      for (const path of [`/proxy?url=${target}`, `/api/v1/proxy?url=${target}`, `//${internal.url.host}/`]) {
        const answer = await mailkeep.call(path);
        expect(answer.status).toBe(404);
        expect(answer.text).not.toContain("internal secret");
      }
      expect(hits).toEqual([]);
    },
  },
  {
    advisory: "Mailpit GHSA-6jxm-fv7w-rw5j (CVE-2026-23845), GHSA-j3fj-qppj-fmmc",
    was: "reading a mail makes the server fetch its style sheets",
    attempt: async () => {
      const { id } = await mailkeep.receive(
        html(
          `<link rel="stylesheet" href="${internal.url}a.css"><style>@import "${internal.url}b.css";</style><img src="${internal.url}c.png">`,
        ),
      );
      await readAll(id);
      expect(hits).toEqual([]);
    },
  },
  {
    advisory: "Mailpit GHSA-mpf7-p9x7-96r3 (CVE-2026-27808), GHSA-w4mc-hhc6-xp28 (CVE-2026-55187)",
    was: "checking links makes the server call them, also those that hide where they lead",
    attempt: async () => {
      const disguised = `http://[::ffff:127.0.0.1]:${internal.port}/admin`;
      const { id } = await mailkeep.receive(
        html(`<a href="${internal.url}admin">x</a><a href="${disguised}">y</a>`),
      );
      const { json } = await mailkeep.call(`/api/v1/messages/${id}/links`);
      expect(json.links.length).toBeGreaterThanOrEqual(2);
      expect(hits).toEqual([]);
    },
  },
  {
    advisory: "Mailpit GHSA-524m-q5m7-79mm (CVE-2026-22689)",
    was: "a foreign page opens the WebSocket",
    attempt: async () => {
      const headers = { ...HANDSHAKE, origin: "https://evil.example" };
      expect((await mailkeep.call("/api/v1/ws", { headers })).status).toBe(403);
    },
  },
  {
    advisory: "Mailpit GHSA-8r62-w5wh-fc5m",
    was: "a percent-encoded path reaches the WebSocket past the origin check",
    attempt: async () => {
      const headers = { ...HANDSHAKE, origin: "https://evil.example" };
      for (const path of ["/%61pi/v1/ws", "/api/v1/%77s", "//api/v1/ws", "/api/v1/ws/", "/api/v1/./ws"]) {
        expect([403, 404]).toContain((await mailkeep.call(path, { headers })).status);
      }
    },
  },
  {
    advisory: "Mailpit GHSA-fpxj-m5q8-fphw (CVE-2026-45710), GHSA-28pq-6qxg-wg5r",
    was: "request bodies without a limit fill the memory",
    attempt: async () => {
      const { id } = await mailkeep.receive(mail("x"));
      const rawBody = `{"ids":["${"x".repeat(2 * 1024 * 1024)}"]}`;
      for (const [method, path] of [
        ["PATCH", "/api/v1/messages"],
        ["DELETE", "/api/v1/messages"],
        ["PATCH", `/api/v1/messages/${id}`],
        ["POST", `/api/v1/messages/${id}/release`],
      ] as const) {
        expect((await mailkeep.call(path, { method, rawBody })).status).toBe(413);
      }
    },
  },
  {
    advisory: "Mailpit GHSA-75mr-qw9x-3r39 (CVE-2026-67446)",
    was: "a small picture of huge dimensions is decoded on the server",
    attempt: async () => {
      const { id } = await mailkeep.receive(mail("x"));
      expect((await mailkeep.call(`/api/v1/messages/${id}/part/1/thumb`)).status).toBe(404);
    },
  },
  {
    advisory: "Mailpit GHSA-qx5x-85p8-vg4j",
    was: "names from elsewhere become paths of files",
    attempt: async () => {
      const { id } = await mailkeep.receive(
        mail("x", "y", [
          "Content-Type: text/csv",
          'Content-Disposition: attachment; filename="../../../tmp/evil"',
        ]),
      );
      const [attachment] = (await mailkeep.call(`/api/v1/messages/${id}/attachments`)).json.attachments;
      const answer = await mailkeep.call(`/api/v1/messages/${id}/attachments/${attachment.id}`);
      expect(answer.headers.get("content-disposition")).not.toMatch(/[/\\]|%2f/i);
    },
  },
  {
    advisory: "Mailpit CVE-2026-23829",
    was: "an address with a line break adds headers or commands",
    attempt: async () => {
      const { id } = await mailkeep.receive(mail("x"));
      for (const body of [
        { host: "h", to: ["a@b\r\nRCPT TO:<c@d>"] },
        { host: "h", from: "a@b\nDATA" },
        { host: "h\r\nx", to: ["a@b"] },
      ]) {
        expect((await mailkeep.call(`/api/v1/messages/${id}/release`, { method: "POST", body })).status).toBe(
          400,
        );
      }
    },
  },
  {
    advisory: "MailHog CVE-2022-50908",
    was: "an attachment that is a page runs its script on the catcher's origin",
    attempt: async () => {
      const page = "<script>fetch('/api/v1/messages',{method:'DELETE'})</script>";
      for (const type of ["text/html", "image/svg+xml", "application/xhtml+xml", "text/xml"]) {
        const { id } = await mailkeep.receive(
          mail("x", page, [
            `Content-Type: ${type}`,
            "Content-ID: <a>",
            'Content-Disposition: attachment; filename="a"',
          ]),
        );
        const [attachment] = (await mailkeep.call(`/api/v1/messages/${id}/attachments`)).json.attachments;
        for (const path of [`/attachments/${attachment.id}`, "/inline/a", "/raw", "/export", "/text"]) {
          const { headers } = await mailkeep.call(`/api/v1/messages/${id}${path}`);
          expect(headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
          expect(headers.get("x-content-type-options")).toBe("nosniff");
        }
      }
    },
  },
  {
    advisory: "MailDev CVE-2024-27448 (GHSA-vc6q-ccj9-9r89)",
    was: "a Content-ID becomes the path of a file that is written",
    attempt: async () => {
      const cid = "../../../../tmp/routes.js";
      const { id } = await mailkeep.receive(
        mail("x", "boom", [
          "Content-Type: application/javascript",
          `Content-ID: <${cid}>`,
          "Content-Disposition: inline",
        ]),
      );
      const answer = await mailkeep.call(`/api/v1/messages/${id}/inline/${encodeURIComponent(cid)}`);
      expect(answer.headers.get("content-type")).toBe("application/octet-stream");
      expect(await Bun.file("/tmp/routes.js").exists()).toBe(false);
    },
  },
  {
    advisory: "smtp4dev issue 1148",
    was: "HTML of a mail is shown as it is",
    attempt: async () => {
      const { id } = await mailkeep.receive(
        html(
          '<svg/onload=alert(document.domain)><img src=x onerror=alert(1)><a href="javascript:alert(1)">x</a><iframe srcdoc="x">',
        ),
      );
      const answer = await mailkeep.call(`/api/v1/messages/${id}/html?remote=true`);
      expect(answer.text).not.toMatch(/onload|onerror|javascript:|<iframe|<svg/i);
      expect(answer.headers.get("content-security-policy")).not.toContain("script-src");
      expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    },
  },
  {
    advisory: "all of them",
    was: "a form on a foreign page deletes or forwards mail",
    attempt: async () => {
      const { id } = await mailkeep.receive(mail("x"));
      for (const type of [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
      ]) {
        const headers = { origin: "https://evil.example", "content-type": type };
        const answer = await mailkeep.call(`/api/v1/messages/${id}/release`, {
          method: "POST",
          headers,
          rawBody: `{"host":"127.0.0.1","port":${internal.port}}`,
        });
        expect(answer.status).toBe(403);
      }
      expect(hits).toEqual([]);
    },
  },
  {
    advisory: "all of them",
    was: "the Host header comes back in what caches keep",
    attempt: async () => {
      for (const path of ["/docs", "/api/v1/openapi.yaml", "/api/v1/info", "/api/v1/messages", "/nothing"]) {
        const names = { "x-forwarded-host": "poison.example", forwarded: "host=poison.example" };
        const answer = await mailkeep.call(path, { headers: names });
        expect(answer.text + JSON.stringify([...answer.headers])).not.toContain("poison.example");
        const named = await mailkeep.call(path, { headers: { ...names, host: "poison.example" } });
        expect(named.text + JSON.stringify([...named.headers])).not.toContain("poison.example");
        const page = { ...names, host: "poison.example", "user-agent": "Mozilla/5.0" };
        const refused = await mailkeep.call(path, { headers: page });
        expect(refused.status).toBe(403);
        expect(refused.headers.get("cache-control")).toBe("no-store");
      }
    },
  },
  {
    advisory: "all of them",
    was: "a page reads the mail under a name of its own that it has pointed here (DNS rebinding)",
    attempt: async () => {
      const { id } = await mailkeep.receive(mail("x"));
      for (const agent of ["Mozilla/5.0", "curl/8", ""]) {
        const headers = { host: "evil.example:8025", "user-agent": agent, "accept-language": "" };
        for (const path of ["/api/v1/messages", `/api/v1/messages/${id}/raw`]) {
          expect((await mailkeep.call(path, { headers })).status).toBe(403);
        }
        const listening = { ...HANDSHAKE, ...headers, origin: "http://evil.example:8025" };
        expect((await mailkeep.call("/api/v1/ws", { headers: listening })).status).toBe(403);
        const origin = { ...headers, origin: "http://evil.example:8025" };
        expect((await mailkeep.call("/api/v1/messages", { method: "DELETE", headers: origin })).status).toBe(
          403,
        );
      }
    },
  },
];

describe("does not work here", () => {
  for (const { advisory, was, attempt } of attempts) test(`${advisory}: ${was}`, attempt);
});
