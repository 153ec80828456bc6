// Links are requested for their status. Private hosts are requested only if they are allowed.
import { afterAll, describe, expect, test } from "bun:test";
import { type Fetched, fetchLinks } from "../../src/checks/fetch-links.ts";
import { isPublicAddress } from "../../src/checks/hosts.ts";

const asked: string[] = [];
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: ({ method, url }) => {
    const { pathname, host } = new URL(url);
    asked.push(`${method} ${host}${pathname}`);
    if (pathname === "/gone") return new Response(null, { status: 404 });
    if (pathname === "/moved") return Response.redirect("/ok", 302);
    if (pathname === "/loop") return Response.redirect("/loop", 302);
    if (pathname === "/nowhere") return new Response(null, { status: 302 });
    if (pathname === "/astray") return new Response(null, { status: 301, headers: { location: "http://" } });
    if (pathname === "/inside") return Response.redirect("http://inside.example/secret", 302);
    const [, refusal] = /^\/no-head\/(\d+)$/.exec(pathname) ?? [];
    if (refusal && method === "HEAD") return new Response(null, { status: Number(refusal) });
    return new Response("x".repeat(100_000));
  },
});
afterAll(() => server.stop(true));

const ALLOWED = `allowed.example:${server.port}`;
const base = `http://${ALLOWED}`;
const lookup = async (host: string) => {
  if (host === "unknown.example") throw Object.assign(new Error("?"), { code: "ENOTFOUND" });
  return host === "mixed.example" ? ["8.8.8.8", "127.0.0.1"] : ["127.0.0.1"];
};
const fetchOne = async (url: string): Promise<Fetched | undefined> =>
  (await fetchLinks([url], { allow: [ALLOWED], lookup })).get(url);

describe("an allowed host answers", () => {
  const ANSWERS: readonly (readonly [path: string, answer: Fetched])[] = [
    ["/ok", { outcome: "answered", status: 200, url: `${base}/ok`, redirects: 0 }],
    ["/gone", { outcome: "answered", status: 404, url: `${base}/gone`, redirects: 0 }],
    ["/moved", { outcome: "answered", status: 200, url: `${base}/ok`, redirects: 1 }],
    ["/loop", { outcome: "unreachable", reason: "more than 5 redirects" }],
    ["/nowhere", { outcome: "unreachable", reason: "it redirects to no valid address" }],
    ["/astray", { outcome: "unreachable", reason: "it redirects to no valid address" }],
    ["/inside", { outcome: "refused", reason: "inside.example is not public" }],
  ];
  test.each(ANSWERS)("%s", async (path, answer) => {
    expect(await fetchOne(base + path)).toEqual(answer);
  });
});

test.each([401, 403, 404, 405, 429, 500])(
  "a link is not broken if only HEAD is answered with %d",
  async (status) => {
    const url = `${base}/no-head/${status}`;
    expect(await fetchOne(url)).toEqual({ outcome: "answered", status: 200, url, redirects: 0 });
  },
);

test("103 is not the answer, even in pieces", async () => {
  const hints = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n";
  using early = Bun.listen<undefined>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data(socket) {
        socket.write(`${hints}${hints.slice(0, 9)}`);
        setTimeout(() => socket.end(`${hints.slice(9)}HTTP/1.1 404 Not Found\r\n\r\n`), 1);
      },
    },
  });
  const url = `http://allowed.example:${early.port}/`;
  const fetched = await fetchLinks([url], { allow: ["allowed.example"], lookup });
  expect(fetched.get(url)).toMatchObject({ outcome: "answered", status: 404 });
});

describe("a private address", () => {
  test.each([
    "http://127.0.0.1/",
    "http://2130706433/",
    "http://[::1]/",
    "http://[::ffff:7f00:1]/",
    "http://localhost/",
    `http://private.example:${server.port}/`,
    "http://mixed.example/",
  ])("%s is not requested", async (url) => {
    const before = asked.length;
    expect(await fetchOne(url)).toMatchObject({ outcome: "refused" });
    expect(asked).toHaveLength(before);
  });

  test.each([
    "10.1.2.3",
    "100.64.0.1",
    "169.254.169.254",
    "172.31.0.1",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "fe80::1",
    "fd00::1",
    "::ffff:10.0.0.1",
    "64:ff9b::a00:1",
    "2002:a00:1::",
    "ff02::1",
  ])("%s is private", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test.each(["8.8.8.8", "172.32.0.1", "2606:4700::1111"])("%s is public", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

test("a host without an address is unreachable", async () => {
  expect(await fetchOne("http://unknown.example/")).toEqual({
    outcome: "unreachable",
    reason: "there is no such host",
  });
});

test("only the first hundred of very many links are requested", async () => {
  const urls = Array.from({ length: 120 }, (_, number) => `${base}/${number}`);
  const answers = await fetchLinks(urls, { allow: [ALLOWED], lookup });
  const skipped = { outcome: "skipped", reason: "only 100 links are fetched" };
  for (const [at, url] of urls.entries())
    expect(Bun.deepEquals(answers.get(url), skipped), url).toBe(at >= 100);
});
