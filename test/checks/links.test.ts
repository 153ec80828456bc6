// The rules of the link check, a small mail each.
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
  ['<a href="#top">Up</a>', ["anchor-missing 1:1"]],
  ['<p id="top"></p><a href="#top">Up</a>', []],
  ['<img src="cid:none@x">', ["image-missing 1:1"]],
  ['<img src="cid:logo@x">', []],
  ['<td background="images/a.png">', ["link-relative 1:1"]],
  ["<p style=\"background-image: url('images/a.png')\">", ["link-relative 1:1"]],
  ["<style>p { color: red }\n  a { background: url(images/a.png) }</style>", ["link-relative 2:7"]],
];

test.each(HTML)("%s", async (html, rules) => {
  const parts = ["Content-Type: image/png\r\nContent-ID: <logo@x>\r\n\r\n..."];
  expect(told(await checkLinks(await inputFor({ html, parts })))).toEqual([...rules]);
});

test("links of the text part and of List-Unsubscribe are checked too", async () => {
  const fields = { "List-Unsubscribe": "<http://example.com/off>" };
  const check = await checkLinks(await inputFor({ text: "See http://localhost/x", fields }));
  expect(told(check)).toEqual(["link-local text/plain", "link-http List-Unsubscribe"]);
  expect(check).toMatchObject({
    status: "fail",
    score: 65,
    summary: "2 links and images: 1 error, 1 warning",
  });
});
