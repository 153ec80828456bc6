// The rules of the accessibility check: each case is a small mail.
import { expect, test } from "bun:test";
import { checkAccessibility } from "../../src/checks/accessibility.ts";
import { inputFor, told } from "./support/mail.ts";

const CASES: readonly (readonly [html: string, rules: readonly string[]])[] = [
  ["<p>Hello</p>", []],
  ['<img src="a.png">', ["image-alt 1:1"]],
  ['<img src="a.png" alt="">', []],
  ['<img src="a.png" role="Presentation">', []],
  ['<a href="https://x"><img src="a.png" aria-label="Shop"></a>', []],
  ['<a href="https://x"></a>', ["link-text-missing 1:1"]],
  ['<a href="https://x"><img alt="" src="a.png"></a>', ["link-text-missing 1:1"]],
  ['<a href="https://x"><img alt="Shop" src="a.png"></a>', []],
  ['<a href="https://x">Click here</a>', ["link-text-vague 1:1"]],
  ["<h1>a</h1>\n<h3>b</h3>", ["heading-order 2:1"]],
  ["<h1>a</h1><h2>b</h2><h1>c</h1>", []],
  ["<h2></h2>", ["heading-empty 1:1"]],
  ["<table><tr><td>a</table>", ["table-role 1:1"]],
  ['<table role="presentation"><tr><td>a</table>', []],
  ["<table><tr><th>a</table>", []],
  ['<p style="color:#999">pale</p>', ["contrast 1:23"]],
  ['<p style="color:#999; font-size: 30px">large and #999</p>', ["contrast 1:40"]],
  ['<p style="color:#888; font-size: 30px">large</p>', []],
  ['<div style="background:#000"><p style="color:#999">fine</p></div>', []],
  ['<td bgcolor="#ffff00"><font color="white">yellow</font>', ["contrast 1:43"]],
  ['<style>p { background: black }</style><p style="color:#999">fine</p>', []],
  ["<style>p { color: #999 }</style><p>pale</p>", ["contrast 1:36"]],
  ['<style>.a .b, #c > i { color: #999 }</style><p class="x a"><u><b class=b>pale', ["contrast 1:74"]],
  ["<style>#c > i { color: #999 }</style><p id=c><i>pale</i><b><i>fine", ["contrast 1:49"]],
  ["<style>.a { color: #999 } p { color: #000 }</style><p class=a>pale", ["contrast 1:63"]],
  ["<style>.b { color: #000 } .a { color: #999 }</style><p class='b a'>pale", ["contrast 1:68"]],
  ["<style>.a { color: #999 } p { color: #000 !important }</style><p class=a>fine", []],
  ['<style>.a { color: #999 }</style><p class=a style="color:#000">fine', []],
  ["<style>@media print { p { color: #999 } } p:hover { color: #999 }</style><p>fine", []],
  ['<style>[x] { background: #000 }</style><p style="color:#999">unknown</p>', []],
  ["<style>.a { display: none; color: #fff }</style><p class=a>preheader", []],
  ["<style>p { font-size: 10px }</style><p>tiny", ["font-size 1:40"]],
  ['<p style="font-size:10px">tiny</p>', ["font-size 1:27"]],
  ['<p style="font-size:50%">tiny</p>', ["font-size 1:26"]],
  ['<p style="color:hsl(0 0% 60%)">pale</p>', ["contrast 1:32"]],
  ['<p style="color:rgba(0,0,0,.4)">pale</p>', ["contrast 1:33"]],
  ['<p style="color:rgb(0 0 0 / 40%)">pale</p>', ["contrast 1:35"]],
  ['<p style="color:rgb(0 0 0 / 90%)">fine</p>', []],
  ['<p style="color:silver">pale</p>', ["contrast 1:25"]],
  ['<p style="color:#333; background:rgba(0,0,0,.7)">dark on dark</p>', ["contrast 1:50"]],
  ['<p style="color:#333; background:rgba(0,0,0,.1)">fine</p>', []],
  ['<p style="color:#999; background:transparent">pale</p>', ["contrast 1:47"]],
  ['<div style="color:#999"><a href="https://x" style="color:inherit">pale', ["contrast 1:67"]],
  ['<p style="color:#fff; background-image:url(https://x/night.png)">unknown</p>', []],
  ['<td background="https://x/night.png" style="color:#fff">unknown', []],
  ['<h1 style="color:#888">large</h1>', []],
  ['<p style="color:#888; font: bold 20px/1.5 Arial">large</p>', []],
  ['<p style="font: italic 10px/1.5 Arial">tiny</p>', ["font-size 1:40"]],
  ['<p style="font-size:x-small">tiny</p>', ["font-size 1:30"]],
  ['<div style="display:none;font-size:1px;color:#fff">preheader</div>', []],
  ['<div style="font-size:0;color:#fff">preheader</div>', []],
  ['<div style="opacity:0;font-size:1px">preheader</div>', []],
  ['<p style="opacity:0.5; color:#999">half transparent</p>', ["contrast 1:36"]],
];

test.each(CASES)("%s", async (html, rules) => {
  expect(told(checkAccessibility(await inputFor({ html: `${html}<i lang="en"></i>` })))).toEqual([...rules]);
});

test("a contrast that is too low by little is not rounded up to the limit", async () => {
  const { findings } = checkAccessibility(await inputFor({ html: '<p style="color:#777">pale' }));
  expect(findings.map(({ message }) => message)).toContain(
    "#777 on #ffffff has a contrast of 4.4 to 1, less than 4.5: “pale”.",
  );
});

test("HTML without a language is reported", async () => {
  expect(told(checkAccessibility(await inputFor({ html: "<p>Hello</p>" })))).toEqual(["lang-missing"]);
});

test("a mail without HTML is not checked", async () => {
  expect(checkAccessibility(await inputFor({}))).toMatchObject({ status: "off", score: null, findings: [] });
});
