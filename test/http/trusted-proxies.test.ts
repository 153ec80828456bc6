// X-Forwarded-* headers count only from trusted proxies.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { trustedProxies } from "../../src/http/origin.ts";
import { type Mailkeep, startMailkeep } from "./support/mailkeep.ts";

describe("the address of a client", () => {
  const proxies = trustedProxies(["10.0.0.0/8", "127.0.0.1", "fd00::/8"]);
  test.each([
    ["the peer, where it is no proxy", "192.0.2.1", "198.51.100.7", "192.0.2.1"],
    ["what the proxy says", "127.0.0.1", "198.51.100.7", "198.51.100.7"],
    [
      "the last that is no proxy: the first may be invented",
      "10.0.0.1",
      "1.1.1.1, 198.51.100.7, 10.2.3.4",
      "198.51.100.7",
    ],
    ["the peer, where the proxy says nothing", "fd00::1", "", "fd00::1"],
    ["known on a socket for IPv4 and IPv6", "::ffff:127.0.0.1", "198.51.100.7", "198.51.100.7"],
  ])("is %s", (_, peer, forwarded, client) => {
    const request = new Request("http://x/", { headers: { "x-forwarded-for": forwarded } });
    expect(proxies.clientOf(request, peer)).toBe(client);
  });
});

describe("X-Forwarded-Host", () => {
  let [trusting, plain]: Mailkeep[] = [];
  beforeAll(async () => {
    const access = { allowedHosts: ["mail.example.com"], corsOrigins: [] };
    trusting = await startMailkeep({ http: { trustedProxies: ["127.0.0.1"], access } });
    plain = await startMailkeep({ http: { access } });
  });
  afterAll(async () => {
    await trusting?.stop();
    await plain?.stop();
  });
  const ask = async (mailkeep: Mailkeep | undefined, host: string) => {
    const headers = { "x-forwarded-host": host, "sec-fetch-mode": "cors" };
    return (await mailkeep?.call("/api/v1/info", { headers }))?.status;
  };

  test("X-Forwarded-Host of a trusted proxy replaces the Host header", async () => {
    expect(await ask(trusting, "mail.example.com")).toBe(200);
    expect(await ask(trusting, "evil.example.com")).toBe(403);
  });

  test("X-Forwarded-Host of anybody else is ignored", async () => {
    expect(await ask(plain, "evil.example.com")).toBe(200);
  });
});
