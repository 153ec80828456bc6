// The rules of the link check: each case is a small mail.
import { expect, test } from "bun:test";
import { checkLinks } from "../../src/checks/links.ts";
import { inputFor, told } from "./support/mail.ts";

const HTML: readonly (readonly [html: string, rules: readonly string[]])[] = [
  ['<a href="https://example.com/">Shop</a> <img src="https://example.com/a.png" alt="">', []],
  ['<a href="mailto:a@example.com">Mail</a> <a href="tel:+49123">Call</a>', []],
  ['\n<a href="">Shop</a>', ["link-empty 2:1"]],
  ['<a href="#">Shop</a>', ["link-empty 1:1"]],
  ['<a href="/orders">Shop</a>', ["link-relative 1:1"]],
  ['<img src="//example.com/a.png">', ["link-relative 1:1"]],
  [
    '<img src="https://example.com/a" srcset="https://example.com/w_2,h_1/a.png 1x, b.png 2x">',
    ["link-relative 1:1"],
  ],
  ['<img src="https://example.com/a" srcset="https://example.com/w_2,h_1/a.png">', []],
  ['<a href="javascript:alert(1)">Shop</a>', ["link-scheme 1:1"]],
  ['<a href="https://">Shop</a>', ["link-invalid 1:1"]],
  ['<a href="http://example.com/">Shop</a>', ["link-http 1:1"]],
  ['<a href="http://localhost:3000/x">Shop</a>', ["link-local 1:1"]],
  ['<a href="https://10.0.0.8/x">Shop</a>', ["link-local 1:1"]],
  ['<a href="https://app.test/x">Shop</a>', ["link-local 1:1"]],
  ['<a href="https://example.com/{{token}}">Shop</a>', ["link-placeholder 1:1"]],
  ['<a href="https://example.com/%7B%7Btoken%7D%7D">Shop</a>', ["link-placeholder 1:1"]],
  ['<a href="https://example.com/users/undefined/x">Shop</a>', ["link-placeholder 1:1"]],
  ['<a href="https://example.com/?id=null&amp;x=1">Shop</a>', ["link-placeholder 1:1"]],
  ['<a href="https://example.com/%5Bobject%20Object%5D">Shop</a>', ["link-placeholder 1:1"]],
  ['<a href="https://example.com/[object%20Object]">Shop</a>', ["link-placeholder 1:1"]],
  ['<a href="https://example.com/?n=%7B%7Bname%7D%7D">Shop</a>', ["link-placeholder 1:1"]],
  ['<a href="https://example.com/?n=%25FIRST%25">Shop</a>', ["link-placeholder 1:1"]],
  ['<a href="mailto:undefined@example.com">Mail</a>', ["link-placeholder 1:1"]],
  ['<img src="https://example.com/undefined.png" alt="">', ["link-placeholder 1:1"]],
  ['<a href="https://undefined.example/null-safety?q=null-island&amp;to=hello%20null">Shop</a>', []],
  ['<a href="https://evil.example/">www.bank.example</a>', ["link-mismatch 1:1"]],
  ['<a href="https://www.example.com/x">example.com</a>', []],
  ['<a href="https://evil.example/">www.gov.md</a>', ["link-mismatch 1:1"]],
  ['<a href="https://evil.example/">Bank.com/login</a>', ["link-mismatch 1:1"]],
  ['<a href="https://evil.example/">HTTPS://bank.dev</a>', ["link-mismatch 1:1"]],
  [
    '<a href="https://example.com/1">PAYPAL.COM</a> <a href="https://example.com/2">login.bank.app/x</a>',
    ["link-mismatch 1:1", "link-mismatch 1:48"],
  ],
  ['<a href="https://example.com/1">invoice-2026.pdf</a> <a href="https://example.com/2">Node.js</a>', []],
  ['<a href="https://example.com/">ASP.NET</a>', []],
  ['<a href="#top">Up</a>', ["anchor-missing 1:1"]],
  ['<p id="top"></p><a href="#top">Up</a>', []],
  ['<img src="cid:none@x">', ["image-missing 1:1"]],
  ['<img src="cid:logo@x">', []],
  ['<td background="images/a.png">', ["link-relative 1:1"]],
  ["<p style=\"background-image: url('images/a.png')\">", ["link-relative 1:1"]],
  [
    '<form action="/save"><button formaction="/send">Go</button></form>',
    ["link-relative 1:1", "link-relative 1:22"],
  ],
  ['<video src="a.mp4" poster="a.png"></video>', ["link-relative 1:1", "link-relative 1:1"]],
  ['<iframe src="/a"></iframe>', ["link-relative 1:1"]],
  ['<link rel="stylesheet" href="a.css">', ["link-relative 1:1"]],
  ['\n<!--[if mso]>\n <v:roundrect href="/buy"><![endif]-->', ["link-relative 3:2"]],
  ['<!-- <a href="/old">no link</a> -->', []],
  ["<style>p { color: red }\n  a { background: url(images/a.png) }</style>", ["link-relative 2:7"]],
];

test.each(HTML)("%s", async (html, rules) => {
  const parts = ["Content-Type: image/png\r\nContent-ID: <logo@x>\r\n\r\n..."];
  expect(told(await checkLinks(await inputFor({ html, parts })))).toEqual([...rules]);
});

test("a local host that is allowed is not an error", async () => {
  const input = await inputFor({ text: "See http://127.0.0.1:3000/x and http://127.0.0.1:4000/x" });
  const { findings } = await checkLinks({ ...input, allow: ["127.0.0.1:3000"] });
  expect(findings).toHaveLength(1);
});

test("a server that may refuse only programs is a warning", async () => {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) => new Response(null, { status: Number(new URL(url).pathname.slice(1)) }),
  });
  const input = await inputFor({
    text: ["401", "403", "429", "404"].map((status) => `http://127.0.0.1:${server.port}/${status}`).join(" "),
  });
  const allow = [`127.0.0.1:${server.port}`];
  const check = await checkLinks({ ...input, allow, fetchesLinks: true });
  await server.stop(true);
  expect(told(check).toSorted()).toEqual([
    "link-broken text/plain",
    ...Array(3).fill("link-refused text/plain"),
  ]);
});

test("a link in List-Help is reported at List-Help", async () => {
  const fields = {
    "List-Help": "<http://example.com/help>",
    "List-Unsubscribe": "<https://example.com/off>",
  };
  expect(told(await checkLinks(await inputFor({ fields })))).toEqual(["link-http List-Help"]);
});

test("links of the text part and of List-Unsubscribe are checked", async () => {
  const fields = { "List-Unsubscribe": "<http://example.com/off>" };
  const check = await checkLinks(await inputFor({ text: "See http://localhost/x", fields }));
  expect(told(check)).toEqual(["link-local text/plain", "link-http List-Unsubscribe"]);
  expect(check).toMatchObject({
    status: "fail",
    score: 65,
    summary: "2 links and images: 1 error, 1 warning",
  });
});
