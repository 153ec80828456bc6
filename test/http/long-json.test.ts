// JSON with texts of megabytes is written in pieces.
import { expect, test } from "bun:test";
import { json } from "../../src/http/json.ts";

const LONG = 300_000;

test.each<[string, object]>([
  ["a text", { id: "x", text_body: "a".repeat(LONG), html_body: "" }],
  [
    "two texts",
    { text_body: '\u00e9\n"\\'.repeat(LONG), html_body: "<p>".repeat(LONG), preview: { snippet: "x" } },
  ],
  ["a text first", { text_body: "\u0000".repeat(LONG), tags: [] }],
  ["characters of two halves, cut at every second piece", { text_body: `x${"\u{1f600}".repeat(LONG)}` }],
  ["half a character", { text_body: `${"x".repeat(LONG)}\ud83d` }],
])("%s is what it was", async (_, value) => {
  for (const acceptEncoding of ["", "gzip", "zstd"]) {
    const answer = await json(value, { acceptEncoding });
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const plain = {
      "": () => bytes,
      gzip: () => Bun.gunzipSync(bytes),
      zstd: () => Bun.zstdDecompressSync(bytes),
    };
    expect(answer.headers.get("content-encoding") ?? "").toBe(acceptEncoding);
    const text = new TextDecoder().decode(plain[acceptEncoding as "gzip"]());
    expect(JSON.parse(text)).toEqual(value);
  }
});
