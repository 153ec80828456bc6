// Sanitized HTML runs nothing, sends nothing, and fetches nothing unasked. Harmless styles stay.
import { describe, expect, test } from "bun:test";
import { sanitizeHtml } from "../../src/mime/index.ts";

const inlineUrl = (cid: string) => `/inline/${encodeURIComponent(cid)}`;
const sanitize = (html: string, remote = false) => sanitizeHtml(html, { inlineUrl, remote });
/** The body, with the styles of the head before it. */
const bodyOf = (html: string, remote = false) =>
  /initial-scale=1">([\s\S]*)<\/body>/
    .exec(sanitize(html, remote).html)?.[1]
    ?.replace(/<\/head><body[^>]*>/, "") ?? "";

const HARMLESS: [html: string, shown: string][] = [
  ["<p>Hello <b>you</b></p>", "<p>Hello <b>you</b></p>"],
  ["<script>alert(1)</script>text", "text"],
  ["<script src=//evil.test/x.js></script>", ""],
  ["<scr<script>ipt>alert(1)</script>", "ipt&gt;alert(1)"],
  ['<img src=x onerror="alert(1)">', "<img>"],
  ["<svg><script>alert(1)</script></svg>after", "after"],
  // Of drawings, formulas and lists of choices only the words are shown.
  ["<svg onload=alert(1)><path d=M0><text>x</text></svg>after", "xafter"],
  ["<math><mi>y</mi><script>1</script></math>", "y"],
  ["<svg><path d=M0><p>after</p>", "<p>after</p>"],
  ["<select onchange=alert(1)><option>x</select>z", "xz"],
  ["a<frameset><frame></frameset>b", "ab"],
  ["<xmp><b>&amp;</b></xmp>c", "<pre>&lt;b&gt;&amp;amp;&lt;/b&gt;</pre>c"],
  ["<listing>a\n b</listing>c", "<pre>a\n b</pre>c"],
  ["<plaintext><script>1</script>", "<pre>&lt;script&gt;1&lt;/script&gt;"],
  ["<template><xmp>a</xmp></template><template><plaintext>b", ""],
  [
    '<form action="https://evil.test"><input name=a><button>Go</button></form>',
    "<section><mail-button>Go</mail-button></section>",
  ],
  // A form is a block. Text before it and text in it used to become one word.
  ["a<form class=f target=_top>b</form>c", 'a<section class="f">b</section>c'],
  [
    '<a href="https://x.test/"><button onclick=1 formaction=x style="color:#fff" class=b>Go</button></a>',
    '<a href="https://x.test/" target="_blank" rel="noopener noreferrer"><mail-button style="color:#fff" class="b">Go</mail-button></a>',
  ],
  [
    "<fieldset><legend>a</legend><label for=x>b</label></fieldset>",
    "<fieldset><legend>a</legend><label>b</label></fieldset>",
  ],
  ['<meta http-equiv=refresh content="0;url=https://evil.test">', ""],
  ['<base href="https://evil.test/">', ""],
  ['<iframe src="https://evil.test"></iframe>x', "x"],
  ['<iframe srcdoc="<script>1</script>">', ""],
  ["<object data=x></object><embed src=y>z", "z"],
  [
    "<object data=x>or <b>words</b><p>after one that is never closed",
    "or <b>words</b><p>after one that is never closed",
  ],
  [
    '<video src=x poster=y onerror=1><a href="https://x.test/">Watch</a></video>',
    '<a href="https://x.test/" target="_blank" rel="noopener noreferrer">Watch</a>',
  ],
  ["<canvas>no canvas</canvas>", "no canvas"],
  ["a<template><style>p{}</style>b<template>c</template></template>d<template/>e", "ade"],
  ['<link rel=stylesheet href="https://evil.test/a.css">', ""],
  ['<a href="javascript:alert(1)">x</a>', "<a>x</a>"],
  ['<a href="  java\nscript:alert(1)">x</a>', "<a>x</a>"],
  ['<a href="&#106;avascript&colon;alert(1)">x</a>', "<a>x</a>"],
  ['<a href="vbscript:x">x</a><a href="data:text/html,<script>">y</a>', "<a>x</a><a>y</a>"],
  ['<a href="/api/v1/messages">x</a>', "<a>x</a>"],
  [
    '<a href="https://x.test/?a=1&amp;b=2" target=_top>x</a>',
    '<a href="https://x.test/?a=1&amp;b=2" target="_blank" rel="noopener noreferrer">x</a>',
  ],
  ['<a href="#top">x</a>', '<a href="#top">x</a>'],
  ["a < b & c > d", "a &lt; b & c &gt; d"],
  ["<!--[if mso]><script>1</script><![endif]-->x", "x"],
  ["<!-- a --!>x<!----!>y<!---->z<!-->!<!--->!", "xyz!!"],
  ["<!-- a --!<b>x", ""],
  ['<p title="&quot;><script>1</script>">x</p>', '<p title="&quot;&gt;&lt;script&gt;1&lt;/script&gt;">x</p>'],
  ["<noscript><img src=x onerror=1></noscript>", "<img>"],
  ["<textarea><img onerror=1></textarea>x", "x"],
  ["<title><img onerror=1></title>x", "x"],
  ["<x-unknown onclick=1>kept</x-unknown>", "kept"],
  ["<p/onclick=alert(1)>x", "<p>x"],
  ['<img src="cid:logo@x.test" alt=Logo>', '<img src="/inline/logo%40x.test" alt="Logo">'],
  ['<img srcset="cid:a 1x, https://e.test/b.png 2x">', '<img srcset="/inline/a 1x">'],
  ['<td background="cid:bg">x', '<td background="/inline/bg">x'],
  ["<p style=\"background:url('cid:bg')\">x", '<p style="background:url(&quot;/inline/bg&quot;)">x'],
  ['<img src="data:image/png;base64,AAAA">', '<img src="data:image/png;base64,AAAA">'],
  ['<img src="data:image/svg+xml,<svg onload=1>">', "<img>"],
];

describe("the body after sanitizing", () => {
  for (const [html, shown] of HARMLESS) {
    test(`${html} is ${shown || "empty"}`, () => {
      expect(bodyOf(html)).toBe(shown);
    });
  }
});

describe("a style sheet keeps its media and its selectors:", () => {
  const SHEETS: [written: string, kept: string][] = [
    ["<style media=print>p{color:red}</style>", '<style media="print">p{color:red}</style>'],
    [
      '<STYLE type="text/css" MEDIA="screen and (max-width: 600px)" onload=x title=t>p{}</STYLE>',
      '<style media="screen and (max-width: 600px)">p{}</style>',
    ],
    [`<style media='"><script>'>p{}</style>`, '<style media="&quot;&gt;&lt;script&gt;">p{}</style>'],
    ["<style>p{}</style>", "<style>p{}</style>"],
    [
      "<style>a>button:hover,.button,td button{all:unset;appearance:button}[type=button],#my-button{}</style>",
      "<style>a>mail-button:hover,.button,td mail-button{all:unset;appearance:button}[type=button],#my-button{}</style>",
    ],
  ];
  for (const [written, kept] of SHEETS) {
    test(written, () => {
      expect(bodyOf(written)).toBe(kept);
    });
  }
});

const REMOTE: string[] = [
  '<img src="https://evil.test/p.gif">',
  '<img src="//evil.test/p.gif">',
  '<img src=" \n https://evil.test/p.gif">',
  '<img srcset="https://evil.test/p.gif 2x">',
  '<table background="http://evil.test/p.gif">',
  '<p style="background:url(https://evil.test/p.gif)">',
  "<p style=\"background:URL( 'https://evil.test/p.gif' )\">",
  '<p style="background:u\\72l(https://evil.test/p.gif)">',
  '<p style="background:u/**/rl(https://evil.test/p.gif)">',
  "<p style=\"background:image-set('https://evil.test/p.gif' 1x)\">",
  "<p style=\"background:image('https://evil.test/p.gif')\">",
  "<style>p{background:IM\\41 GE('https://evil.test/p.gif', red)}</style>",
  "<style>@import url(https://evil.test/a.css);</style>",
  "<style>@import 'https://evil.test/a.css';</style>",
  "<style>@\\69mport 'https://evil.test/a.css';</style>",
  "<style>@import 'https://evil.test/a.css</style>",
  '<p style="background:ur<!--l(https://evil.test/p.gif)">',
  '<p style="background:ur-->l(https://evil.test/p.gif)">',
  "<style>p{background:image-s-->et('https://evil.test/p.gif' 1x)}</style>",
  "<style>@im<!--port 'https://evil.test/a.css';</style>",
  "<style>@@import;import 'https://evil.test/a.css';</style>",
  "<style>@im@font-face{}port 'https://evil.test/a.css';</style>",
  "<style>@@font-face{}font-face{font-family:x;src:u<!--rl(https://evil.test/f.woff)}</style>",
  "<style>p{background:i\\00006dage-set('https://evil.test/p.gif' 1x)}</style>",
  "<style>@font-face{font-family:x;src:url(https://evil.test/f.woff)}</style>",
  '<style>@font\\2d face{font-family:"}";src:url(https://evil.test/f.woff)}</style>',
  "<style>p{background:url(https://evil.test/p.gif</style>",
  "<video src=https://evil.test/v poster=https://evil.test/p></video>",
  "<audio src=https://evil.test/a></audio>",
  "<input type=image src=https://evil.test/i>",
  "<body background=https://evil.test/b>",
];

const FETCHES =
  /(?:src|srcset|background|poster)="[^"]*evil|url\((?:&quot;|["'])?[^)]*evil|@import|image(?:-set)?\(/i;

describe("nothing is fetched from another server by", () => {
  for (const html of REMOTE) {
    test(html, () => {
      expect(sanitize(html).html).not.toMatch(FETCHES);
    });
  }
});

test.each([
  ["an import", `@import ${"u".repeat(3_000_000)} "https://evil.test/a.css"`],
  ["a font", `@font-face{${"a".repeat(3_000_000)};src:local(evil)}`],
])("%s of millions of characters is removed", (_, css) => {
  expect(bodyOf(`<style>${css}</style>`)).toBe("<style> </style>");
});

test("unescaping a letter does not lengthen the escape before it", () => {
  expect(bodyOf("<style>p{background:ur\\6\\63 (https://evil.test/p.gif)}</style>")).toBe(
    "<style>p{background:ur\\6 c(https://evil.test/p.gif)}</style>",
  );
});

test("an image loses its name, which would shadow a property of the document; anchors and maps keep theirs", () => {
  expect(bodyOf('<img id="b" name="addEventListener"><a name="top"></a><map name="m"></map>')).toBe(
    '<img id="b"><a name="top"></a><map name="m"></map>',
  );
});

test("remote images are shown on request, and counted otherwise", () => {
  const html = '<img src="https://cdn.test/a.png"><p style="background:url(//cdn.test/b.png)">';
  expect(sanitize(html).blocked_remote).toBe(2);
  const shown = sanitize(html, true);
  expect(shown.blocked_remote).toBe(0);
  expect(shown.html).toContain('src="https://cdn.test/a.png"');
  expect(shown.html).toContain("https://cdn.test/b.png");
});

test.each([
  ["background:url(https://cdn.test/a)", "URL;FORBIDDEN"],
  ["color:red;background:url('https://cdn.test/a') red;margin:0", "color:red;URL red;FORBIDDEN red;margin:0"],
  ["@media print{p{background:url(https://cdn.test/a)}}", "@media print{p{URL;FORBIDDEN}}"],
  ["a[href='}']{background:url(https://cdn.test/a);}", "a[href='}']{URL;FORBIDDEN;}"],
  ["background:url(data:image/png;base64,AA)", 'background:url("data:image/png;base64,AA")'],
])("a remote image of CSS is requested without a Referer: %s", (css, expected) => {
  const url = 'background:url("https://cdn.test/a")';
  const forbidden = 'background:url("https://cdn.test/a" referrer-policy(no-referrer))';
  const style = `<style>${expected.replace("URL", url).replace("FORBIDDEN", forbidden)}</style>`;
  expect(sanitize(`<style>${css}</style>`, true).html).toContain(style);
});

const NEVER_FETCHED: string[] = [
  "<script src=https://cdn.test/a.js></script>",
  "<form action=https://cdn.test/form><input type=image src=https://cdn.test/i></form>",
  "<svg><image href=https://cdn.test/i /></svg>",
  "<iframe src=https://cdn.test/frame></iframe>",
  "<noscript><p title='</noscript><img src=https://cdn.test/i>'></noscript>",
  "<math><mtext><table><mglyph><style><img src=https://cdn.test/i></style></table></math>",
  "<link rel=stylesheet href=https://cdn.test/a.css>",
  "<style>@import url(https://cdn.test/a.css);</style>",
  "<style>@font-face{font-family:x;src:url(https://cdn.test/f.woff)}p{font-family:x}</style>",
  '<style>@media all{@font\\-face{font-family:"}";src:url(https://cdn.test/f.woff)}}</style>',
  "<p style='background:image-set(url(https://cdn.test/i) 1x)'>",
  "<span background=https://cdn.test/i>",
  "<video poster=https://cdn.test/p></video>",
];

describe("does not count as a blocked image, and stays out when images are allowed:", () => {
  for (const html of NEVER_FETCHED) {
    test(html, () => {
      expect(sanitize(html).blocked_remote).toBe(0);
      expect(sanitize(html, true).html).not.toMatch(
        /(?:src|srcset|background)="[^"]*cdn|url\([^)]*cdn|@import/,
      );
    });
  }
});

describe("harmless styles stay:", () => {
  test.each([
    [
      "rules around a font",
      "p{color:red}@font-face{font-family:x;src:url(https://cdn.test/f)}b{color:blue}",
      "p{color:red} b{color:blue}",
    ],
    [
      "the rule after an import whose address has semicolons",
      "@import url(https://fonts.test/css2?family=Inter:wght@400;700&display=swap);p{color:red}",
      " p{color:red}",
    ],
    [
      "the name of a font in Chinese",
      'p{font-family:"\\5b8b\\4f53","\\5FAE\\8F6F"}',
      'p{font-family:"\\5b8b\\4f53","\\5FAE\\8F6F"}',
    ],
    [
      "the width of a screen that is compared",
      "@media (400px<=width<700px){p{color:red}}",
      "@media (400px<=width<700px){p{color:red}}",
    ],
    [
      "how a page scrolls",
      "p{scroll-behavior:smooth;behavior:url(x.htc)}",
      "p{scroll-behavior:smooth;blocked-none}",
    ],
  ])("%s", (_, css, kept) => {
    expect(bodyOf(`<style>${css}</style>`)).toBe(`<style>${kept}</style>`);
  });
});

test("the colours of text and links are kept with the background", () => {
  const html = '<body bgcolor="#000000" text="#ffffff" link="#ffff00" vlink="#ffff00" leftmargin="0">x';
  expect(sanitize(html).html).toContain(
    '<body bgcolor="#000000" text="#ffffff" link="#ffff00" vlink="#ffff00" leftmargin="0">x',
  );
});

test("style cannot end its element", () => {
  const out = sanitize("<style>p{content:'</sty</style>le><script>1</script>'}</style>").html;
  expect(out).not.toContain("<script");
  expect(bodyOf("<style>p{}<img src=x></style>")).toBe("<style>p{}\\3c img src=x></style>");
});

test("the look of a newsletter survives", () => {
  const html =
    '<html><head><style>.a{color:red}@media(max-width:600px){.a{width:100%}}</style></head><body bgcolor="#eeeeee" ' +
    'style="margin:0"><table width="600" cellpadding="0"><tr><td align="center" class="a">Hi</td></tr></table></body></html>';
  const out = sanitize(html).html;
  expect(out).toContain('<body bgcolor="#eeeeee" style="margin:0">');
  expect(out).toContain("<style>.a{color:red}@media(max-width:600px){.a{width:100%}}</style>");
  expect(out).toContain(
    '<table width="600" cellpadding="0"><tr><td align="center" class="a">Hi</td></tr></table>',
  );
  expect(out).toStartWith("<!doctype html>");
});

test.each([
  ["<style>p{}</style><p>x", "<style>p{}</style></head><body><p>x"],
  [
    "<head><title>t</title>\n<style>p{}</style></head>\n<style>a{}</style><body>x",
    "<style>p{}</style><style>a{}</style></head><body>\n\nx",
  ],
  ["<html><body><style>p{}</style><p>x", "</head><body><style>p{}</style><p>x"],
  ["x<style>p{}</style>", "</head><body>x<style>p{}</style>"],
  ["<p>x<style>p{}</style>", "</head><body><p>x<style>p{}</style>"],
])("a style of the head is not a child of the body, and does not count as its first: %s", (html, shown) => {
  expect(sanitize(html).html).toContain(shown);
});

test("a line break that is written as an end tag is kept", () => {
  expect(sanitize("a</br>b</BR >c").html).toContain("a<br>b<br>c");
});

test("attributes of the root element are kept, such as the direction of Arabic", () => {
  const html = '<html dir="rtl" lang="ar" class="k" onload="1"><body dir="rtl"><html dir="ltr"><p>مرحبا</p>';
  expect(sanitize(html).html).toStartWith('<!doctype html><html dir="rtl" lang="ar" class="k"><head>');
  expect(sanitize("<p>x</p>").html).toStartWith("<!doctype html><html><head>");
});

describe("the size of the document is limited for short HTML that becomes long:", () => {
  const MAX_CHARS = 17 * 1024 * 1024;
  test.each([
    ["tags", "<img src=cid:a>".repeat(250_000)],
    ["one attribute", `<img srcset="${"cid:, ".repeat(300_000)}">`],
    ["one style", `<style>${"url(cid:)".repeat(300_000)}</style>`],
    ["brackets", "<".repeat(5_000_000)],
    ["the body", `<body title='${'"'.repeat(3_000_000)}'>`],
  ])("%s", (_, html) => {
    const { html: out, isAll } = sanitizeHtml(html, {
      inlineUrl: (cid) => "/".repeat(60) + cid,
      remote: false,
    });
    expect(isAll).toBe(false);
    expect(out.length).toBeLessThan(MAX_CHARS);
    expect(out).toEndWith("</body></html>");
  });

  test("a document within the limit is complete", () => {
    const html = "<img src=cid:a>".repeat(10_000);
    expect(sanitize(html)).toMatchObject({ isAll: true });
    expect(bodyOf(html)).toBe('<img src="/inline/a">'.repeat(10_000));
  });
});
