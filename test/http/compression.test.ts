// JSON of 1 KiB and more is compressed if the client accepts it, except JSON with a very long text.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { acceptsGzip } from "../../src/http/json.ts";
import { type Mailkeep, mail, startMailkeep } from "./support/mailkeep.ts";

test.each<[string, boolean]>([
  ["", false],
  ["gzip", true],
  ["gzip, deflate, br, zstd", true],
  ["gzip;q=0", false],
  ["gzip;q=0.0, *", false],
  ["*", true],
  ["*;q=0", false],
  ["identity, *;q=0", false],
  ["GZIP ; Q=0.8", true],
  ["br, deflate", false],
  ["gzip;q=nonsense", true],
])("Accept-Encoding %p: %p", (header, accepted) =>
  expect(acceptsGzip(new Request("http://x", { headers: { "accept-encoding": header } }))).toBe(accepted),
);

describe("answers", () => {
  let mailkeep: Mailkeep;
  beforeAll(async () => {
    mailkeep = await startMailkeep();
    for (let n = 0; n < 10; n++) await mailkeep.receive(mail(`mail ${n}`));
  });
  afterAll(() => mailkeep.stop());

  const ask = (path: string, encoding: string) =>
    fetch(mailkeep.url + path, {
      headers: { "accept-encoding": encoding },
      decompress: false,
    } as RequestInit);
  const paths = ["/api/v1/messages", "/api/v1/openapi.json"];
  test.each(paths)("%s is compressed", async (path) => {
    const response = await ask(path, "gzip");
    expect(response.headers.get("content-encoding")).toBe("gzip");
    expect(response.headers.get("vary")).toContain("accept-encoding");
    expect(response.headers.get("content-type")).toBe("application/json");
    const plain = await (await ask(path, "identity")).json();
    const unpacked = Bun.gunzipSync(new Uint8Array(await response.arrayBuffer()));
    expect(JSON.parse(new TextDecoder().decode(unpacked))).toEqual(plain);
  });

  test("a text of a megabyte is sent in pieces, unchanged", async () => {
    const body = "long line 😀\r\n".repeat(80_000);
    const { id } = await mailkeep.receive(mail("long", body));
    const response = await ask(`/api/v1/messages/${id}`, "gzip");
    expect(response.headers.get("content-encoding")).toBeNull();
    expect(response.headers.get("content-length")).toBeNull();
    const { text_body } = (await response.json()) as { text_body: string };
    expect(text_body.replaceAll("\r\n", "\n").trimEnd()).toBe(body.replaceAll("\r\n", "\n").trimEnd());
  });

  test("small answers are not compressed, but have Vary", async () => {
    const response = await ask("/api/v1/assert/count", "gzip");
    expect(response.headers.has("content-encoding")).toBe(false);
    expect(response.headers.get("vary")).toContain("accept-encoding");
  });
});
