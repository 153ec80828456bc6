// The built page is small and needs no other host.
import { expect, test } from "bun:test";
import { buildWeb } from "../../scripts/build-web.ts";

const MAX_SCRIPT_BYTES = 90 * 1024;

test("the page is one script under 90 KB compressed, one style sheet, one document and an icon", async () => {
  const files = await buildWeb();
  const text = new TextDecoder();
  const named = (end: string) => files.filter(({ path }) => path.endsWith(end));
  expect(files.length).toBe(4);
  const [script] = named(".js");
  const [page] = named(".html");
  if (!script || !page) throw new Error("no script or no page");
  expect(Bun.gzipSync(Uint8Array.from(script.bytes)).length).toBeLessThan(MAX_SCRIPT_BYTES);
  const html = text.decode(page.bytes);
  expect(html).toContain(`src="/${script.path}"`);
  expect(html).not.toMatch(/<script[^>]*>[^<]|<style|\sstyle=|\son\w+=|https?:\/\//);
  expect(text.decode(script.bytes)).not.toContain("TypeBox");
  // Otherwise browsers look up the hosts of links in a mail, which tells senders that somebody reads it.
  expect(html).toContain('<meta http-equiv="x-dns-prefetch-control" content="off">');
});
