// Bodies through the real worker: charsets, transfer encodings, composition, time limits.
import { afterAll, describe, expect, jest, test } from "bun:test";
import { simpleParser } from "mailparser";
import {
  type BodyParser,
  createBodyParser,
  readPreview,
  readStructure,
  searchText,
} from "../../src/mime/index.ts";

const startWorker = () => new Worker(new URL("../../src/worker/parse-worker.ts", import.meta.url).href);
const parser = createBodyParser({ startWorker, timeoutMs: 10_000, maxBytes: 30 * 1024 * 1024 });
afterAll(() => parser.close());

const asSource = (raw: Uint8Array) => ({
  size: raw.length,
  bytes: async (start: number, end: number) => raw.subarray(start, end),
});

const parse = (raw: Uint8Array, by: BodyParser = parser) => by.parse(asSource(raw), readStructure(raw));

const mail = (...lines: (string | Buffer)[]) =>
  Buffer.concat(lines.flatMap((line, index) => [Buffer.from(index === 0 ? "" : "\r\n"), Buffer.from(line)]));

const single = (type: string, encoding: string, body: string | Buffer) =>
  mail("Subject: x", `Content-Type: ${type}`, `Content-Transfer-Encoding: ${encoding}`, "", body);

const CHARSETS: [label: string, hex: string, text: string][] = [
  ["utf-8", "c3a9e282ac", "é€"],
  ["iso-8859-1", "636166e9", "café"],
  ["iso-8859-2", "b1e6ea", "ąćę"],
  ["iso-8859-5", "bfe0d8d2d5e2", "Привет"],
  ["iso-8859-7", "c5ebebdce4e1", "Ελλάδα"],
  ["iso-8859-9", "fdfef0", "ışğ"],
  ["iso-8859-15", "a4", "€"],
  ["windows-1250", "9c9f", "śź"],
  ["windows-1251", "cff0e8e2e5f2", "Привет"],
  ["windows-1252", "80939c", "€“œ"],
  ["windows-1254", "fdfe", "ış"],
  ["windows-1255", "f9ece5ed", "שלום"],
  ["windows-1256", "e3d1cdc8c7", "مرحبا"],
  ["windows-1257", "e0e8", "ąč"],
  ["koi8-r", "f0d2c9d7c5d4", "Привет"],
  ["shift_jis", "93fa967b8cea", "日本語"],
  ["cp932", "93fa967b8cea", "日本語"],
  ["euc-jp", "c6fccbdcb8ec", "日本語"],
  ["iso-2022-jp", "1b2442467c4b5c386c1b2842", "日本語"],
  ["gb18030", "d6d0cec4", "中文"],
  ["gb2312", "d6d0cec4", "中文"],
  ["big5", "a4a4a4e5", "中文"],
  ["euc-kr", "c7d1b1db", "한글"],
  ["ks_c_5601-1987", "c7d1b1db", "한글"],
  ["iso-2022-kr", "1b2429430e4751315b0f2061", "한글 a"],
  ["hz-gb-2312", "7e7b56504e447e7d7e7e617e0d0a627e7b56507e7d", "中文~ab中"],
  ["euc-cn", "d6d0cec4", "中文"],
  ["shiftjis", "93fa967b8cea", "日本語"],
  ["x-windows-949", "c7d1b1db", "한글"],
  // UTF-16 with the high octet first, as Java writes it, or with the low octet first
  ["utf-16", "feff4e2d6587", "中文"],
  ["utf-16", "fffe2d4e8765", "中文"],
  // Names as Python writes them
  ["utf_16_be", "4e2d6587", "中文"],
  ["eucgb2312_cn", "d6d0cec4", "中文"],
  ["big5_tw", "a4a4a4e5", "中文"],
  ["euc_kr", "c7d1b1db", "한글"],
  ["euc_jp", "c6fccbdcb8ec", "日本語"],
  ["iso2022_jp", "1b2442467c4b5c386c1b2842", "日本語"],
  ["latin_2", "b1e6ea", "ąćę"],
  ["hz_gb_2312", "7e7b56504e447e7d", "中文"],
  ["mac_roman", "6361668e", "café"],
  // Names as PHP writes them
  ["SJIS-win", "93fa967b8cea", "日本語"],
  ["eucJP-win", "c6fccbdcb8ec", "日本語"],
  ["CP51932", "c6fccbdcb8ec", "日本語"],
  ["JIS-ms", "1b2442467c4b5c386c1b2842", "日本語"],
  // Further names and charsets
  ["tis620", "cab9d2b4", "สนาด"],
  ["x-mac-cyrillic", "8ff0e8e2e5f2", "Привет"],
  ["ibm866", "8fe0a8a2a5e2", "Привет"],
  ["cp437", "636166829be1", "café¢ß"],
  ["IBM850", "63616682e1", "caféß"],
  ["cp852", "a5a986", "ąęć"],
  ["ibm00858", "63616682d5", "café€"],
  ["utf-7", "6361662b414f6b2d2b494b772d2b2d202b32447a66695121", "café€+ 🎉!"],
  ["us-ascii", "c3a9", "é"],
  ["us-ascii", "611b2442467c4b5c386c1b2842", "a日本語"],
  ["utf-8", "611b2442467c4b5c386c1b2842", "a日本語"],
  ["us-ascii", "1b5b316d1b2842", "\x1b[1m\x1b(B"],
  // A byte order mark takes precedence over a label
  ["iso-8859-1", "efbbbfc3a9", "é"],
  ["windows-1251", "efbbbfd09f", "П"],
  ["utf-8", "fffe2d4e8765", "中文"],
  ["us-ascii", "feff4e2d6587", "中文"],
  ["iso-8859-1", "efbbbfc3a9ff", "é\ufffd"],
  // A byte order mark is ignored if text in another charset follows it
  ["iso-8859-1", "efbbbf636166e9", "café"],
  ["windows-1251", "efbbbfcff0e8", "При"],
  ["utf-8", "efbbbf636166e9", "café"],
  // Without another known charset, bytes that are not UTF-8 are decoded as windows-1252
  ["x-nobody-knows", "636166e9", "café"],
  ["utf-8", "636166e9", "café"],
];

test("a footer that a mailing list added after base64 text is not decoded", async () => {
  const encoded = Buffer.from("Grüße aus Köln").toString("base64");
  const raw = single(
    "text/plain; charset=utf-8",
    "base64",
    `${encoded}\r\n____________\r\nA mailing list\r\n`,
  );
  expect(await parse(raw)).toMatchObject({ text_body: "Grüße aus Köln" });
  expect(searchText(raw).body).toBe("Grüße aus Köln");
});

describe("charset", () => {
  for (const [label, hex, text] of CHARSETS) {
    for (const encoding of ["8bit", "base64", "quoted-printable"]) {
      test(`${label} in ${encoding}: ${text}`, async () => {
        const bytes = Buffer.from(hex, "hex");
        const encoded = {
          "8bit": bytes,
          base64: bytes.toString("base64"),
          "quoted-printable": hex.toUpperCase().replace(/../g, "=$&"),
        }[encoding] as string;
        const raw = single(`text/plain; charset="${label}"`, encoding, encoded);
        expect(await parse(raw)).toMatchObject({ text_body: text, html_body: "", parsed: true });
      });
    }
  }

  test("HTML may name its charset itself", async () => {
    const page = (charset: string, hex: string) =>
      Buffer.concat([Buffer.from(`<meta charset="${charset}"><p>`), Buffer.from(hex, "hex")]);
    expect((await parse(single("text/html", "8bit", page("windows-1251", "cff0e8e2e5f2")))).text_body).toBe(
      "Привет",
    );
    expect((await parse(single("text/html", "8bit", page("windows-1251", "c3a9")))).text_body).toBe("é");
  });

  test("HTML with an unhelpful label is read in the charset that it names", async () => {
    const page = Buffer.concat([
      Buffer.from('<meta charset="koi8-r"><p>'),
      Buffer.from("f0d2c9d7c5d4", "hex"),
    ]);
    for (const label of ["us-ascii", "x-nobody-knows"]) {
      const raw = single(`text/html; charset=${label}`, "8bit", page);
      expect((await parse(raw)).text_body).toBe("Привет");
    }
    const named = single("text/html; charset=windows-1251", "8bit", page);
    expect((await parse(named)).text_body).toBe("рТЙЧЕФ");
  });

  test.each([
    "<!-- <meta charset=koi8-r> --><meta charset=windows-1251>",
    "<title><meta charset=koi8-r></title><meta charset=windows-1251>",
    '<meta name=description content="charset=koi8-r"><meta charset=windows-1251>',
    "<meta data-charset=koi8-r><meta charset=windows-1251>",
    "<meta charset=nonsense><meta/charset=' windows-1251 '>",
    "<meta content='text/html; charset=windows-1251'>",
    `<style>${"p{}".repeat(2000)}</style><meta http-equiv=content-type content=charset=windows-1251>`,
  ])("HTML names its charset as browsers read it: %s", async (head) => {
    const page = Buffer.from(`${head}<p>\xcf\xf0\xe8\xe2\xe5\xf2`, "latin1");
    expect((await parse(single("text/html", "8bit", page))).text_body).toBe("Привет");
  });

  test("XHTML is read in the charset that its first line names", async () => {
    const page = (head: string) => Buffer.from(`${head}<p>\xf0\xd2\xc9\xd7\xc5\xd4`, "latin1");
    const declared = '<?xml version="1.0" encoding="koi8-r"?>\n<!DOCTYPE html>';
    for (const label of ["", "; charset=us-ascii"]) {
      const raw = single(`text/html${label}`, "8bit", page(declared));
      expect((await parse(raw)).text_body).toBe("Привет");
    }
    const both = single("text/html", "8bit", page(`${declared}<meta charset="windows-1251">`));
    expect((await parse(both)).text_body).toBe("рТЙЧЕФ");
  });

  test("HTML that names UTF-16, as Word writes it, is not read as UTF-16", async () => {
    for (const [label, name] of [
      ["", "unicode"],
      ["; charset=us-ascii", "utf-16"],
    ]) {
      const page = Buffer.from(`<meta charset=${name}><p>caf\xe9`, "latin1");
      expect((await parse(single(`text/html${label}`, "8bit", page))).text_body).toBe("café");
    }
  });

  test("the byte order mark of UTF-8 is not part of the text", async () => {
    const mark = "\ufeff";
    const parts = mixed(
      "mixed",
      ["text/plain; charset=utf-8", `${mark}grüße`],
      ["text/html", `${mark}<p>é</p>`],
    );
    expect(await parse(parts)).toMatchObject({
      text_body: "grüße\né",
      html_body: "<p>grüße</p><br/>\n<p>é</p>",
    });
    const encoded = Buffer.from(`${mark}x${mark}`).toString("base64");
    expect((await parse(single("text/plain; charset=utf-8", "base64", encoded))).text_body).toBe(`x${mark}`);
  });

  test("utf-16 in quoted-printable: a line end stays a line end", async () => {
    const body = "=FF=FEH=00i=00=0D=00=0A=00x=00\r\ny=00\r\n";
    const raw = single("text/plain; charset=utf-16", "quoted-printable", body);
    expect((await parse(raw)).text_body).toBe("Hi\nx\ny\n");
  });

  test("utf-16 with and without byte order mark, in base64", async () => {
    for (const [label, text] of [
      ["utf-16le", Buffer.from("grüße", "utf16le")],
      ["utf-16", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("grüße", "utf16le")])],
      ["utf-16be", Buffer.from("grüße", "utf16le").swap16()],
    ] as const) {
      const raw = single(`text/plain; charset=${label}`, "base64", text.toString("base64"));
      expect((await parse(raw)).text_body).toBe("grüße");
    }
  });
});

const mixed = (subtype: string, ...parts: (readonly [type: string, body: string])[]) =>
  mail(
    `Content-Type: multipart/${subtype}; boundary=b`,
    "",
    ...parts.flatMap(([type, body]) => ["--b", `Content-Type: ${type}`, "", body]),
    "--b--",
    "",
  );

const FLOWED: Record<string, [body: string, text: string]> = {
  "a quoted line goes on without its mark": ["> a \r\n> b\r\n> c", "> a b\n> c"],
  "a deeper quote goes on, a shallower one is another": [">> a \r\n>> b \r\n> c", ">> a b \n> c"],
  "a text after a quote is no part of it": ["> a \r\nnot quoted", "> a \nnot quoted"],
  "a quote after a text is no part of it": ["a \r\n> b", "a \n> b"],
  "an empty line ends a paragraph": ["a \r\n\r\nb", "a \n\nb"],
  "an empty quoted line ends a paragraph": ["> a \r\n>\r\n> b", "> a \n>\n> b"],
  "a line of nothing but stuffing is empty": ["a\r\n \r\nb", "a\n\nb"],
  "stuffing is removed before joining": ["  stuffed \r\n From b\r\n >c", " stuffed From b\n>c"],
  "quote marks need no space, and are left as written": [">a \r\n>b\r\n>>c", ">a b\n>>c"],
  "a signature is joined to nothing": ["a \r\n-- \r\nme \r\nyou", "a \n-- \nme you"],
  "a quoted signature is joined to nothing": ["> a \r\n> -- \r\n> me", "> a \n> -- \n> me"],
  "lines that end in LF": ["a \nb\nc\n", "a b\nc\n"],
  "the last line keeps its end": ["sig\r\n", "sig\n"],
  "empty lines at the end stay": ["abc\r\n\r\n", "abc\n\n"],
  "a space at the end of the last line joins nothing": ["a \r\n", "a \n"],
};

const DELETED_SPACES: Record<string, [body: string, text: string]> = {
  "the space of a soft line end goes": ["on \r\ne  \r\ntwo", "one two"],
  "in quotes too": ["> on \r\n> e\r\n> two", "> one\n> two"],
  "but not where no lines are joined": ["-- \r\na \r\n\r\nb", "-- \na \n\nb"],
};

describe("flowed text is joined as RFC 3676 says:", () => {
  for (const [type, cases] of [
    ["text/plain; format=flowed", FLOWED],
    ["text/plain; format=Flowed; DelSp=Yes", DELETED_SPACES],
  ] as const) {
    for (const [name, [body, text]] of Object.entries(cases)) {
      test(name, async () => {
        const raw = single(type, "7bit", body);
        expect((await parse(raw)).text_body).toBe(text);
        expect(searchText(raw).body).toBe(text);
      });
    }
  }

  test("lines of HTML are not joined", async () => {
    const raw = single("text/html; format=flowed", "7bit", "<pre>a \r\nb</pre>");
    expect((await parse(raw)).html_body).toBe("<pre>a \nb</pre>");
  });
});

const PADDED = `<div>Join us<div>${"&nbsp;&#8204;&#8203;&#8205;&#8206;&#8207;&#65279;".repeat(3)}</div></div>Hello${"&#847;&zwnj;&nbsp;".repeat(3)}`;

const COMPOSED: Record<string, { raw: Buffer; text: string; html: string }> = {
  "text and HTML as alternatives": {
    raw: mixed("alternative", ["text/plain", "plain"], ["text/html", "<p>rich</p>"]),
    text: "plain",
    html: "<p>rich</p>",
  },
  "HTML with old names of pre, such as xmp: their content is shown as it is written": {
    raw: single("text/html", "7bit", "<p>a</p><xmp><b>&amp;\r\n  c</b></xmp><plaintext>d\r\n<p>e"),
    text: "a\n\n<b>&amp;\n  c</b>\n\nd\n<p>e",
    html: "<p>a</p><xmp><b>&amp;\n  c</b></xmp><plaintext>d\n<p>e",
  },
  "HTML alone: its text is derived and keeps its case": {
    raw: single("text/html", "7bit", "<h1>Hello World</h1><p>Good &amp; well</p>"),
    text: "Hello World\n\nGood & well",
    html: "<h1>Hello World</h1><p>Good &amp; well</p>",
  },
  "HTML alone inside a multipart": {
    raw: mixed("related", ["text/html", "<p>one</p>"], ["image/png", "x"]),
    text: "one",
    html: "<p>one</p>",
  },
  "text alone": { raw: single("text/plain", "7bit", "just text"), text: "just text", html: "" },
  "a blank text and HTML": {
    raw: mixed("alternative", ["text/plain", " \r\n"], ["text/html", "<p>rich</p>"]),
    text: "rich",
    html: "<p>rich</p>",
  },
  "HTML with rare elements that begin a new line": {
    raw: single(
      "text/html",
      "7bit",
      "<details><summary>More</summary>text</details><dialog>a</dialog>b<menu><li>c</menu><legend>d</legend>e",
    ),
    text: "More\ntext\na\nb\n\n• c\n\nd\ne",
    html: "<details><summary>More</summary>text</details><dialog>a</dialog>b<menu><li>c</menu><legend>d</legend>e",
  },
  "HTML with numbered lists, one of them around a list with bullets": {
    raw: single("text/html", "7bit", "<ol start=3><li>a<ul><li>b</ul><li>c<li value=9>e</ol><ol><li>d"),
    text: "3. a\n\n• b\n\n4. c\n9. e\n\n1. d",
    html: "<ol start=3><li>a<ul><li>b</ul><li>c<li value=9>e</ol><ol><li>d",
  },
  "HTML with list numbers that are not numbers": {
    raw: single("text/html", "7bit", "<ol start=''><li value=1.5>a<li value=x>b</ol><ul><li value=7>c"),
    text: "1. a\n2. b\n\n• c",
    html: "<ol start=''><li value=1.5>a<li value=x>b</ol><ul><li value=7>c",
  },
  "HTML with buttons side by side": {
    raw: single("text/html", "7bit", "Go?<button>Yes</button><a><button>No</button></a>Bye"),
    text: "Go? Yes No Bye",
    html: "Go?<button>Yes</button><a><button>No</button></a>Bye",
  },
  "HTML whose line breaks are written as end tags": {
    raw: single("text/html", "7bit", "Your code is 482913</br>Thanks<template></br></template>!"),
    text: "Your code is 482913\nThanks!",
    html: "Your code is 482913</br>Thanks<template></br></template>!",
  },
  "HTML with templates, which are not shown": {
    raw: single("text/html", "7bit", "a<template><p>b<template>c</template>d</p></template>e</template>f"),
    text: "aef",
    html: "a<template><p>b<template>c</template>d</p></template>e</template>f",
  },
  "HTML whose letters have names, as PHP and editors write them": {
    raw: single(
      "text/html",
      "7bit",
      "&Kappa;&omega;&delta;&iota;&kappa;&sigmaf; &Lstrok;&oacute;d&zacute; &Pcy;&rArr; &frac13; &bullet; &rightarrow;",
    ),
    text: "Κωδικς Łódź П⇒ ⅓ • →",
    html: "&Kappa;&omega;&delta;&iota;&kappa;&sigmaf; &Lstrok;&oacute;d&zacute; &Pcy;&rArr; &frac13; &bullet; &rightarrow;",
  },
  "HTML with names of characters that need a semicolon": {
    raw: single("text/html", "7bit", "?a=1&phone=2&num=3&lang=de &copy 2026 &euro;5 A&B &lt;"),
    text: "?a=1&phone=2&num=3&lang=de © 2026 €5 A&B <",
    html: "?a=1&phone=2&num=3&lang=de &copy 2026 &euro;5 A&B &lt;",
  },
  "HTML with numbers of characters that begin with zeros or are too large": {
    raw: single("text/html", "7bit", "&#0000000072;&#x000000000069; &#99999999999; &#x110000000;"),
    text: "Hi \ufffd \ufffd",
    html: "&#0000000072;&#x000000000069; &#99999999999; &#x110000000;",
  },
  "blank text alone": { raw: single("text/plain", "7bit", " \r\n"), text: " \n", html: "" },
  "two texts in a row": {
    raw: mixed("mixed", ["text/plain", "one"], ["text/plain", "two"]),
    text: "one\ntwo",
    html: "",
  },
  "text after HTML goes into both": {
    raw: mixed("mixed", ["text/html", "<p>one</p>"], ["text/plain", "two & three"]),
    text: "one\ntwo & three",
    html: "<p>one</p><br/>\n<p>two &amp; three</p>",
  },
  "HTML keeps cid: links and everything else as written": {
    raw: mixed(
      "related",
      ["text/html", `<img src="cid:a@b"><a href=http://x>http://y</a><SCRIPT>1</SCRIPT>`],
      ["image/png; name=a", "x"],
    ),
    text: "http://y [http://x]",
    html: `<img src="cid:a@b"><a href=http://x>http://y</a><SCRIPT>1</SCRIPT>`,
  },
  "an address does not run into the word after its link": {
    raw: single(
      "text/html",
      "7bit",
      "<a href=https://x.test/>Click here </a>to confirm, <a href=tel:1>call</a>.",
    ),
    text: "Click here [https://x.test/] to confirm, call [tel:1].",
    html: "<a href=https://x.test/>Click here </a>to confirm, <a href=tel:1>call</a>.",
  },
  "an address does not run into the line after its link": {
    raw: single(
      "text/html",
      "7bit",
      "<a href=https://x.test/><h2>News</h2></a>More <a href=https://y.test/>here<br></a>today",
    ),
    text: "News [https://x.test/]\n\nMore here [https://y.test/]\ntoday",
    html: "<a href=https://x.test/><h2>News</h2></a>More <a href=https://y.test/>here<br></a>today",
  },
  "HTML whose preview line is padded with invisible characters, as React Email does": {
    raw: single("text/html", "7bit", PADDED),
    text: "Join us\nHello",
    html: PADDED,
  },
  "flowed text is joined": {
    raw: single("text/plain; format=flowed", "7bit", "one \r\ntwo\r\n-- \r\nme"),
    text: "one two\n-- \nme",
    html: "",
  },
  "flowed text with delsp": {
    raw: single("text/plain; format=flowed; delsp=yes", "7bit", "on \r\ne\r\ntwo"),
    text: "one\ntwo",
    html: "",
  },
  "a multipart without boundary is text": {
    raw: single("multipart/mixed", "7bit", "hello"),
    text: "hello",
    html: "",
  },
  "nothing at all": { raw: mail(""), text: "", html: "" },
};

/** RFC 2046 section 5.1.1: a preamble, delimiters and an epilogue are not content. */
const EMPTY_MULTIPARTS: Record<string, string[]> = {
  "a closing delimiter": ["--b--", ""],
  "a closing delimiter in a preamble and an epilogue": ["preamble", "--b--", "epilogue", ""],
  "a closing delimiter in white space": ["", "--b-- ", ""],
  "delimiters without a part between them": ["preamble", "--b", "--b--", "epilogue"],
};

describe("a multipart without parts has no text", () => {
  for (const [name, lines] of Object.entries(EMPTY_MULTIPARTS)) {
    test(name, async () => {
      const raw = mail("Subject: s", "Content-Type: multipart/mixed; boundary=b", "", ...lines);
      expect(await parse(raw)).toMatchObject({ text_body: "", html_body: "", parsed: true });
      expect(searchText(raw).body).toBe("");
      expect(readPreview(raw).snippet).toBe("");
    });
  }
});

describe("a part without another version is shown next to the text or HTML of other parts:", () => {
  const inner = (...parts: (readonly [type: string, body: string])[]) =>
    [
      "multipart/alternative; boundary=c",
      [...parts.flatMap(([type, body]) => ["--c", `Content-Type: ${type}`, "", body]), "--c--"].join("\r\n"),
    ] as const;
  const page = ["text/html", "<p>rich</p>"] as const;
  const NESTED: Record<string, { raw: Buffer; text: string; html: string; searched: string }> = {
    "HTML alone in an alternative, with the footer of a list": {
      raw: mixed("mixed", inner(page), ["text/plain", "footer"]),
      text: "rich\nfooter",
      html: "<p>rich</p><br/>\n<p>footer</p>",
      searched: "footer\nrich",
    },
    "HTML and a blank text, with the footer of a list": {
      raw: mixed("mixed", inner(["text/plain", " "], page), ["text/plain", "footer"]),
      text: "rich\nfooter",
      html: "<p>rich</p><br/>\n<p>footer</p>",
      searched: "footer\n \nrich",
    },
    "text alone in an alternative, with HTML after it": {
      raw: mixed("mixed", inner(["text/plain", "plain"]), page),
      text: "plain\nrich",
      html: "<p>plain</p><br/>\n<p>rich</p>",
      searched: "plain\nrich",
    },
    "text and HTML of an alternative count once": {
      raw: mixed("mixed", inner(["text/plain", "plain"], page), ["text/plain", "footer"]),
      text: "plain\nfooter",
      html: "<p>rich</p><br/>\n<p>footer</p>",
      searched: "plain\nfooter",
    },
  };
  for (const [name, { raw, text, html, searched }] of Object.entries(NESTED)) {
    test(name, async () => {
      expect(await parse(raw)).toMatchObject({ text_body: text, html_body: html });
      expect(searchText(raw).body.split("\n").sort()).toEqual(searched.split("\n").sort());
    });
  }
});

describe("the bodies of", () => {
  for (const [name, { raw, text, html }] of Object.entries(COMPOSED)) {
    test(name, async () => {
      expect(await parse(raw)).toMatchObject({ text_body: text, html_body: html, parsed: true });
    });
  }
});

test("quoted-printable and base64 read as mailparser reads them", async () => {
  const body = "soft=\r\nbreak  \r\n=C3=A9 = x =\r\n=3D 100% =zz\r\n\r\nend=";
  for (const raw of [
    single("text/plain; charset=utf-8", "quoted-printable", body),
    single("text/plain; charset=utf-8", "base64", "aGVs bG8=\r\nIHdvcmxk\r\n"),
  ]) {
    const { text = "" } = await simpleParser(raw);
    expect((await parse(raw)).text_body).toBe(text);
  }
});

test("plain ASCII reads as mailparser reads it", async () => {
  const bodies = [
    "",
    "one",
    "one\r\n",
    "one\n\ntwo\n",
    "\r\n\r\n",
    " spaces \t\r\n-- \r\nsig\r\n",
    "a\rb",
    "\0\x7f",
    "=41 =?x?=",
  ];
  for (const charset of [
    "",
    "; charset=us-ascii",
    "; charset=UTF-8",
    "; charset=iso-8859-15",
    "; charset=windows-1252",
  ]) {
    for (const type of ["text/plain", "text/html"]) {
      for (const body of bodies) {
        const raw = single(type + charset, "7bit", body);
        const { text = "", html } = await simpleParser(raw, { skipHtmlToText: true, skipTextToHtml: true });
        const { text_body, html_body } = await parse(raw);
        expect(type === "text/html" ? html_body : text_body).toBe(type === "text/html" ? html || "" : text);
      }
    }
  }
});

test("a megabyte attachment does not reach the parser", async () => {
  let bytesRead = 0;
  const raw = mixed("mixed", ["text/plain", "hello"], ["application/zip", "A".repeat(1_000_000)]);
  const source = {
    size: raw.length,
    bytes: async (start: number, end: number) => {
      bytesRead += end - start;
      return raw.subarray(start, end);
    },
  };
  expect((await parser.parse(source, readStructure(raw))).text_body).toBe("hello");
  expect(bytesRead).toBe(5);
});

describe("a message over the limit is shown up to the limit:", () => {
  const MAX = 300_000;
  const small = createBodyParser({ startWorker, timeoutMs: 10_000, maxBytes: MAX });
  afterAll(() => small.close());
  const text = "0123456789abcd\r\n".repeat(25_000);
  const shown = text.replaceAll("\r\n", "\n");
  const inLines = (base64: string) => base64.replace(/.{76}/g, "$&\r\n");
  const cut = { parsed: false, mayImprove: false };

  const LENGTHS: Record<string, { raw: Buffer; chars: [text: number, html: number]; isAll?: boolean }> = {
    "a text that just fits is read whole": {
      raw: single("text/plain", "7bit", "x".repeat(MAX)),
      chars: [MAX, 0],
      isAll: true,
    },
    "one byte more, and that byte is missing": {
      raw: single("text/plain", "7bit", "x".repeat(MAX + 1)),
      chars: [MAX, 0],
    },
    "text and HTML that are both long get half each": {
      raw: mixed("alternative", ["text/plain", "x".repeat(MAX)], ["text/html", "y".repeat(MAX)]),
      chars: [MAX / 2, MAX / 2],
    },
    "a short HTML leaves the rest to the text": {
      raw: mixed("alternative", ["text/plain", "x".repeat(MAX)], ["text/html", "y".repeat(1000)]),
      chars: [MAX - 1000, 1000],
    },
    "a short text leaves the rest to the HTML": {
      raw: mixed("alternative", ["text/html", "y".repeat(MAX)], ["text/plain", "x".repeat(1000)]),
      chars: [1000, MAX - 1000],
    },
    "of several texts the first ones are read": {
      raw: mixed("mixed", ...["a", "b", "c", "d"].map((x) => ["text/plain", x.repeat(MAX / 2.5)] as const)),
      chars: [MAX + "\n\n".length, 0],
    },
  };
  for (const [name, { raw, chars, isAll = false }] of Object.entries(LENGTHS)) {
    test(name, async () => {
      const { text_body, html_body, ...outcome } = await parse(raw, small);
      expect([text_body.length, html_body.length]).toEqual(chars);
      expect(outcome).toMatchObject(isAll ? { parsed: true } : cut);
    });
  }

  test("the start is read, with its lines", async () => {
    for (const shift of ["", "x", "xx"]) {
      const bodies = await parse(single("text/plain", "7bit", shift + text), small);
      expect(bodies).toMatchObject(cut);
      expect((shift + shown).startsWith(bodies.text_body)).toBe(true);
      expect(bodies.text_body.length).toBeGreaterThanOrEqual((MAX / 16) * 15);
    }
  });

  test("the text of HTML is derived from as much of it as is read", async () => {
    const bodies = await parse(single("text/html", "7bit", "<p>word</p>".repeat(MAX / 5)), small);
    expect(bodies.html_body).toHaveLength(MAX);
    expect(bodies.text_body.length).toBeGreaterThan(MAX / 3);
  });

  const letters = "aä€🎉".repeat(MAX / 4);
  const quoted = [...Buffer.from(letters.slice(0, MAX))]
    .map((octet) => `=${octet.toString(16).toUpperCase()}`)
    .join("")
    .replace(/.{75}/g, "$&=\r\n");
  const START_OF_LETTERS: Record<string, (shift: string) => Buffer> = {
    "UTF-8": (shift) => single("text/plain; charset=utf-8", "8bit", shift + letters),
    "UTF-8 in base64": (shift) =>
      single("text/plain", "base64", inLines(Buffer.from(shift + letters).toString("base64"))),
    "UTF-8 in quoted-printable": (shift) =>
      single("text/plain; charset=utf-8", "quoted-printable", shift + quoted),
    "UTF-16": (shift) =>
      single(
        "text/plain; charset=utf-16le",
        "base64",
        inLines(Buffer.from(shift + letters, "utf16le").toString("base64")),
      ),
    "HTML in UTF-8 that names another charset": (shift) =>
      single("text/html", "8bit", `${shift}<meta charset="koi8-r">${letters}`),
  };
  for (const [name, make] of Object.entries(START_OF_LETTERS)) {
    test(`${name} is not cut inside a character`, async () => {
      for (const shift of ["", "x", "xx", "xxx", "xxxx"]) {
        const { text_body } = await parse(make(shift), small);
        expect(text_body.length).toBeGreaterThan(MAX / 8);
        expect((shift + letters).startsWith(text_body)).toBe(true);
      }
    });
  }

  test("mail that waits to be parsed is not read yet", async () => {
    const raw = single("text/plain", "7bit", text);
    let held = 0;
    let most = 0;
    const source = {
      size: raw.length,
      bytes: async (start: number, end: number) => {
        most = Math.max(most, ++held);
        return raw.subarray(start, end);
      },
    };
    const structure = readStructure(raw);
    await Promise.all(Array.from({ length: 20 }, () => small.parse(source, structure).then(() => held--)));
    expect(most).toBeLessThanOrEqual(3);
  });
});

test("a message with more parts than the limit says so", async () => {
  const parts = "--b\r\n\r\nx\r\n".repeat(10_001);
  const bodies = await parse(Buffer.from(`Content-Type: multipart/mixed; boundary=b\r\n\r\n${parts}`));
  expect(bodies).toMatchObject({ parsed: false, mayImprove: false });
  expect(bodies.text_body).toStartWith("x");
});

test("a worker that never answers is killed, and the next mail is parsed by another", async () => {
  let started = 0;
  const stuckOnce = () => {
    started++;
    if (started > 1) return startWorker();
    return new Worker(URL.createObjectURL(new Blob(["onmessage = () => { for (;;) {} }"])));
  };
  const timeoutMs = 60_000;
  const impatient = createBodyParser({ startWorker: stuckOnce, timeoutMs, maxBytes: 1_000_000 });
  const text = "hello ".repeat(5000);
  const raw = single("text/plain", "7bit", text);
  jest.useFakeTimers();
  const first = parse(raw, impatient);
  jest.advanceTimersByTime(2 * timeoutMs);
  jest.useRealTimers();
  const second = parse(raw, impatient);
  expect(await first).toMatchObject({ text_body: "", html_body: "", parsed: false });
  expect(await second).toMatchObject({ text_body: text, html_body: "", parsed: true });
  impatient.close();
});

test("a result that a hanging worker did not give is marked as incomplete", async () => {
  const stuck = () => new Worker(URL.createObjectURL(new Blob(["onmessage = () => { for (;;) {} }"])));
  const impatient = createBodyParser({ startWorker: stuck, timeoutMs: 200, maxBytes: 1000 });
  const header = Buffer.from(`${"Received-SPF: pass\r\n".repeat(5000)}\r\n`);
  const html = "<p>x".repeat(50_000);
  const noTime = { parsed: false, mayImprove: true };
  const findings = await Promise.all([
    impatient.readHeaders(header),
    impatient.readAuthResults(header),
    impatient.findLinks({ html, text: "" }),
    impatient.findCodes({ subject: "", html, text: "" }),
    impatient.sanitizeHtml(html, { inline: "/", remote: false }),
  ]);
  for (const outcome of findings) expect(outcome).toMatchObject(noTime);
  impatient.close();
});

test("big HTML is handled in the worker while the main thread goes on", async () => {
  const html = `<p>x</p>${"<div class='a'><a href='https://x.test/1'>go</a> &amp; on</div>".repeat(40_000)}`;
  let beats = 0;
  const beat = setInterval(() => beats++, 1);
  const safe = await parser.sanitizeHtml(html, { inline: "/inline/", remote: false });
  const links = await parser.findLinks({ html, text: "" });
  clearInterval(beat);
  expect(safe.found.html).toContain('target="_blank"');
  expect(links.found).toHaveLength(1);
  expect(beats).toBeGreaterThan(10);
});

describe.each([
  ["base64;", "aGVsbG8gd29ybGQ="],
  ["BASE64 ; x=y", "aGVsbG8gd29ybGQ="],
  ["base64 (a;b)", "aGVsbG8gd29ybGQ="],
  ["quoted-printable;", "hello=20world"],
])("a body in %s", (encoding, encoded) => {
  test("is decoded before it is shown, measured and searched", async () => {
    const raw = single("text/plain", encoding, encoded);
    expect((await parse(raw)).text_body).toBe("hello world");
    expect(searchText(raw).body).toBe("hello world");
    expect(readPreview(raw).snippet).toBe("hello world");
    expect(readStructure(raw).root.size).toBe("hello world".length);
  });
});

test("header fields and authentication results after a malformed line are found", async () => {
  const lines = ["Subject: a long", "subject", "From: a@x.test", "Authentication-Results: x.test; spf=pass"];
  const start = mail(...lines, "", "To: nobody");
  const [headers, auth] = await Promise.all([parser.readHeaders(start), parser.readAuthResults(start)]);
  expect(headers.found.map(({ name }) => name)).toEqual(["Subject", "From", "Authentication-Results"]);
  expect(headers.found[1]?.addresses).toEqual([{ name: "", address: "a@x.test" }]);
  expect(auth.found.spf).toHaveLength(1);
  const text = await parser.readHeaders(mail("Subject: x", "Dear Ann: hello", "bye", "", "To: nobody"));
  expect(text.found).toEqual([{ name: "Subject", value: "x" }]);
});

test.each([" ", ", ", ": "])(
  "the parameters of a type are read if %p replaces its semicolon",
  async (mark) => {
    const { text_body } = await parse(
      single(`text/plain${mark}charset=koi8-r`, "8bit", Buffer.from("f0d2c9d7c5d4", "hex")),
    );
    expect(text_body).toBe("Привет");
    const parts = ["--b", "Content-Type: text/html", "", "<p>hi</p>", "--b--"];
    expect(
      (await parse(mail(`Content-Type: multipart/mixed${mark}boundary=b`, "", ...parts))).html_body,
    ).toBe("<p>hi</p>");
  },
);

describe("two parameters without a semicolon between them are both read:", () => {
  test.each([
    'boundary="b b" charset="utf-8"',
    'type="text/html" boundary="b b"',
    'charset="utf-8", boundary="b b"',
    'charset="utf-8"boundary="b b"',
    'charset=utf-8 boundary="b b"',
    'boundary=""b b""',
  ])("%s", async (params) => {
    const parts = ["--b b", "Content-Type: text/html", "", "<p>hi</p>", "--b b--"];
    const { html_body } = await parse(mail(`Content-Type: multipart/mixed; ${params}`, "", ...parts));
    expect(html_body).toBe("<p>hi</p>");
  });

  test("a charset with other text after it, such as the next field", async () => {
    const params = 'charset="koi8-r" Content-Language: ru';
    const body = Buffer.from("f0d2c9d7c5d4", "hex");
    expect((await parse(single(`text/plain; ${params}`, "8bit", body))).text_body).toBe("Привет");
  });

  test.each(['charset="koi8-r" format=flowed', "charset=koi8-r, format=flowed"])("%s", async (params) => {
    const body = Buffer.from("f0d2c9200d0ad7c5d4", "hex");
    const { text_body } = await parse(single(`text/plain; ${params}`, "8bit", body));
    expect(text_body).toBe("При вет");
  });
});
