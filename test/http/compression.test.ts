// JSON over one kilobyte is compressed if the client accepts it.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { preferredEncoding } from "../../src/http/encoding.ts";
import { type Mailkeep, mail, startMailkeep } from "./support/mailkeep.ts";

describe("Accept-Encoding", () => {
  const cases: [string, string][] = [
    ["", "identity"],
    ["gzip", "gzip"],
    ["zstd", "zstd"],
    ["gzip, deflate, br, zstd", "zstd"],
    ["gzip;q=1, zstd;q=0.5", "zstd"],
    ["zstd;q=0.0, gzip", "gzip"],
    ["gzip;q=0", "identity"],
    ["*", "zstd"],
    ["*;q=0", "identity"],
    ["zstd;q=0, *", "gzip"],
    ["identity, *;q=0", "identity"],
    ["GZIP ; Q=0.8", "gzip"],
    ["br, deflate", "identity"],
    ["gzip;q=nonsense", "gzip"],
  ];
  test.each(cases)("%p → %s", (header, encoding) => expect<string>(preferredEncoding(header)).toBe(encoding));
});

describe("answers", () => {
  let mailkeep: Mailkeep;
  beforeAll(async () => {
    mailkeep = await startMailkeep();
    for (let n = 0; n < 10; n++) await mailkeep.receive(mail(`mail ${n}`));
    await mailkeep.receive(mail("long", "long line\r\n".repeat(100_000)));
  });
  afterAll(() => mailkeep.stop());

  const ask = (path: string, encoding: string) =>
    fetch(mailkeep.url + path, {
      headers: { "accept-encoding": encoding },
      decompress: false,
    } as RequestInit);
  const packed: [string, (bytes: Uint8Array<ArrayBuffer>) => Uint8Array][] = [
    ["gzip", (bytes) => Bun.gunzipSync(bytes)],
    ["zstd", (bytes) => Bun.zstdDecompressSync(bytes)],
  ];

  for (const path of ["/api/v1/messages", "/api/v1/openapi.json"]) {
    test.each(packed)(`${path} as %s`, async (encoding, unpack) => {
      const response = await ask(path, encoding);
      expect(response.headers.get("content-encoding")).toBe(encoding);
      expect(response.headers.get("vary")).toContain("accept-encoding");
      expect(response.headers.get("content-type")).toBe("application/json");
      const plain = await (await ask(path, "identity")).json();
      expect(
        JSON.parse(new TextDecoder().decode(unpack(new Uint8Array(await response.arrayBuffer())))),
      ).toEqual(plain);
    });
  }

  test.each(packed)("a large message as %s", async (encoding, unpack) => {
    const [newest] = (await mailkeep.store.list({ filter: {}, limit: 1 })).messages;
    const response = await ask(`/api/v1/messages/${newest?.id}`, encoding);
    expect(response.headers.get("content-encoding")).toBe(encoding);
    const text = new TextDecoder().decode(unpack(new Uint8Array(await response.arrayBuffer())));
    expect(JSON.parse(text).text_body.length).toBeGreaterThan(900_000);
  });

  test("small answers stay as they are, but vary", async () => {
    const response = await ask("/api/v1/assert/count", "gzip");
    expect(response.headers.has("content-encoding")).toBe(false);
    expect(response.headers.get("vary")).toContain("accept-encoding");
  });
});
