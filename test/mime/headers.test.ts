// Header text: folding, encoded words, raw 8-bit, addresses. Also the first words of a mail and its
// search text.
import { describe, expect, test } from "bun:test";
import { decodeAddressedHeaders } from "../../src/mime/header/addresses.ts";
import { readHeaderBlock } from "../../src/mime/header/fields.ts";
import { readHeaders, readPreview, readStructure, searchText, startScan } from "../../src/mime/index.ts";

const readAddressedHeaders = (raw: Uint8Array) => decodeAddressedHeaders(readHeaderBlock(raw).block);
const bytes = (text: string) => Buffer.from(text, "latin1");
const subjectOf = (octets: string) => {
  const scan = startScan();
  scan.push(bytes(`Subject: ${octets}\r\n\r\n`));
  return scan.finish().subject;
};

const SUBJECTS: [octets: string, subject: string][] = [
  ["plain", "plain"],
  ["  padded \t", "padded"],
  ["folded\r\n over\r\n\tlines", "folded over lines"],
  ["=?utf-8?Q?caf=C3=A9_au_lait?=", "café au lait"],
  ["=?UTF-8?B?Y2Fmw6k=?=", "café"],
  ["=?utf-8?Q?=C3?= =?utf-8?Q?=A9?=", "é"],
  ["=?utf-8?B?4pyT?=\r\n =?utf-8?B?4pyT?=", "✓✓"],
  ["=?utf-8?B?w6k=?= =?iso-8859-1?Q?=E9?=", "éé"],
  ["=?utf-8?B?w6k?= =?utf-8?B?w7Y?=", "éö"],
  ["=?utf-8?B?Y2Fmw?= =?utf-8?B?6kh?=", "café!"],
  // The lengths do not tell how to decode: the first row is two base64 texts without padding, the
  // second is one base64 text that was cut in two.
  ["=?utf-8?B?YWLDqQ?= =?utf-8?B?w7Z4eQ?=", "abéöxy"],
  ["=?utf-8?B?R3LDvM?= =?utf-8?B?OfZSwgQW5uYQ?=", "Grüße, Anna"],
  ["a =?utf-8?Q?b?= c", "a b c"],
  ["=?utf-8*en?Q?language?=", "language"],
  ["=?iso-2022-jp?B?GyRCRnxLXBsoQg==?=", "日本"],
  ["Re: \x1b$BF|K\\\x1b(B mail", "Re: 日本 mail"],
  ["\x1b$B no shift back", "\x1b$B no shift back"],
  ["=?utf-8?Q?Passwort? Verg=C3=A4nglich??=", "Passwort? Vergänglich?"],
  ["=?utf-8?Q?cut =?utf-8?Q?next?=", "=?utf-8?Q?cut next"],
  ["=?utf-8?Q?x.test/?a=3D1?=", "x.test/?a=1"],
  ["=?utf-8?Q?Ready?=F0=9F=8E=89 Go?=20on?=", "Ready?🎉 Go? on"],
  ["=?utf-8?Q?Ready?=20 off", "Ready20 off"],
  ["=?shift_jis?B?k/qWew==?=", "日本"],
  ["=?gb18030?B?1tDOxA==?=", "中文"],
  ["=?koi8-r?Q?=F0=D2=C9=D7=C5=D4?=", "Привет"],
  ["=?x-unknown?Q?caf=E9?=", "café"],
  ["=?8?Q?=E6=97=A5=E6=9C=AC?=", "日本"],
  ["=?utf-8?X?broken?=", "=?utf-8?X?broken?="],
  ["=?utf-8?Q?unfinished", "=?utf-8?Q?unfinished"],
  ["=?utf-8?Q??=", ""],
  ["caf\xc3\xa9 \xf0\x9f\x8e\x89", "café 🎉"],
  ["voil\xc3\xa0", "voilà"],
  ["caf\xe9", "café"],
  ["", ""],
];

describe("the subject", () => {
  for (const [octets, subject] of SUBJECTS) {
    test(JSON.stringify(octets), () => {
      expect(subjectOf(octets)).toBe(subject);
    });
  }

  test("is the last of several that is not empty", () => {
    expect(subjectOf("one\r\nsubject : two\r\nSubject:")).toBe("two");
  });
});

describe("a header may be in the charset of its body:", () => {
  const WRITTEN: [charset: string, octets: string, text: string][] = [
    ["koi8-r", "\xf0\xd2\xc9\xd7\xc5\xd4", "Привет"],
    ["koi8-r", "\xef\xd4\xde\xa3\xd4", "Отчёт"],
    ["Windows-1251", "\xd2\xe5\xf1\xf2", "Тест"],
    ['"iso-8859-2"', "P\xf8\xedli\xb9", "Příliš"],
    ["gb2312", "\xc4\xe3\xba\xc3", "你好"],
    ["shift_jis", "\x83\x5c\x83\x74\x83\x67", "ソフト"],
    ["big5", "\xa5\x5c\xaf\xe0", "功能"],
    ["koi8-r", "\xd0\x9f\xd1\x80", "Пр"],
    ["utf-8", "caf\xe9", "café"],
    ["us-ascii", "caf\xe9", "café"],
    ["x-unknown", "caf\xe9", "café"],
    ["utf-16", "caf\xe9", "café"],
  ];
  test.each(WRITTEN)("%s %j", (charset, octets, text) => {
    const raw = bytes(
      `Subject: ${octets}\r\nFrom: "${octets}, x" <a@x.test>\r\nTo: ${octets} <b@x.test>, c@x.test\r\n` +
        `Content-Type: text/plain;\r\n charset=${charset}\r\n\r\n`,
    );
    const scan = startScan();
    scan.push(raw);
    expect(scan.finish().subject).toBe(text);
    expect(readHeaders(raw)[0]).toEqual({ name: "Subject", value: text });
    expect(readPreview(raw).from_name).toBe(`${text}, x`);
    expect(readAddressedHeaders(raw)[2]).toMatchObject({
      addresses: [
        { name: text, address: "b@x.test" },
        { name: "", address: "c@x.test" },
      ],
    });
  });
});

test("headers keep their order, spelling and duplicates; lines of the body are not headers", () => {
  const raw = bytes(
    "From sender Thu\r\nReceived: b\r\nX-Ünï: x\r\nRECEIVED: a\r\n fold\r\nno colon\r\nEmpty:\r\n\r\nNot: a header",
  );
  expect(readHeaders(raw)).toEqual([
    { name: "Received", value: "b" },
    { name: "X-Ünï", value: "x" },
    { name: "RECEIVED", value: "a fold" },
    { name: "Empty", value: "" },
  ]);
});

describe("after a byte order mark the first field is read:", () => {
  const mark = "\xef\xbb\xbf";

  test("a subject", () => {
    const raw = bytes(`${mark}Subject: x\r\nFrom: a@x.test\r\n\r\nbody`);
    for (let cut = 0; cut <= raw.length; cut++) {
      const scan = startScan();
      scan.push(raw.subarray(0, cut));
      scan.push(raw.subarray(cut));
      expect(scan.finish().subject).toBe("x");
    }
    expect(searchText(raw).body).toBe("body");
    expect(readHeaders(raw).map(({ name }) => name)).toEqual(["Subject", "From"]);
  });

  test("a sender", () => {
    const raw = bytes(`${mark}From: a@x.test\r\n\r\n`);
    expect(readPreview(raw).from_address).toBe("a@x.test");
    expect(readAddressedHeaders(raw)[0]?.addresses).toHaveLength(1);
  });

  test("a type", () => {
    const raw = bytes(`${mark}Content-Type: image/png\r\n\r\n`);
    const scan = startScan();
    scan.push(raw);
    expect([scan.finish().has_attachments, readStructure(raw).root.role]).toEqual([true, "attachment"]);
  });
});

const ADDRESSES: [from: string, name: string, address: string][] = [
  ["a@x.test", "", "a@x.test"],
  ["Ann Lee <a@x.test>", "Ann Lee", "a@x.test"],
  ['"Lee, Ann" <a@x.test>', "Lee, Ann", "a@x.test"],
  ['"Ann \\"A\\" Lee" <a@x.test>', 'Ann "A" Lee', "a@x.test"],
  ["=?utf-8?Q?J=C3=B6rg?= <j@x.test>", "Jörg", "j@x.test"],
  ["J\xc3\xb6rg <j@x.test>", "Jörg", "j@x.test"],
  ["a@x.test (Ann Lee)", "Ann Lee", "a@x.test"],
  ["<a@x.test>", "", "a@x.test"],
  ["", "", ""],
];

describe("the sender shown", () => {
  for (const [from, name, address] of ADDRESSES) {
    test(from || "nobody", () => {
      expect(readPreview(bytes(`From: ${from}\r\n\r\n`))).toMatchObject({
        from_name: name,
        from_address: address,
      });
    });
  }
});

test("the run of a mail is its header X-Mailkeep-Run, decoded", () => {
  const raw = bytes(
    "From: a@x.test\r\nX-Mailkeep-Run: =?utf-8?q?caf=C3=A9?=\r\n 42\r\nx-mailkeep-run: 43\r\n\r\n",
  );
  expect(readPreview(raw).run).toBe("café 42");
});

const PEOPLE: [field: string, people: string[]][] = [
  ["To: Ann <a@x.test>, b@x.test", ["Ann|a@x.test", "|b@x.test"]],
  ['Cc: "Doe, Jane" <j@x.test>', ["Doe, Jane|j@x.test"]],
  ["Resent-To: team: a@x.test, b@x.test;", ["|a@x.test", "|b@x.test"]],
  ["Bcc: undisclosed-recipients:;", []],
  ["From: =?utf-8?Q?M=C3=BCller=2C_Hans?= <h@x.test>", ["Müller, Hans|h@x.test"]],
  ["To: =?utf-8?Q?hidden@x.test=2C?= <b@x.test>", ["hidden@x.test,|b@x.test"]],
  ["To: =?utf-8?B?PGhpZGRlbkB4LnRlc3Q+?= <b@x.test>", ["<hidden@x.test>|b@x.test"]],
  ['To: "q u"@x.test, "a\\"b"@x.test', ['|"q u"@x.test', '|"a\\"b"@x.test']],
  ["To: team: x@[IPv6:::1], B <b@[IPv6:::2]>;", ["|x@[IPv6:::1]", "B|b@[IPv6:::2]"]],
  ["To: x@[127.0.0.1], y@[IPv6:::1, z@x.test", ["|x@[127.0.0.1]", "|1", "|z@x.test"]],
  ["To: [Team] Ann <a@x.test>, [b: c@x.test", ["[Team] Ann|a@x.test", "|c@x.test"]],
  ["From: The Shop", ["The Shop|"]],
  // A list as Python folds it
  [
    "To: a@x.test\r\n =?utf-8?q?=2C?= b@x.test, Ann <c@x.test>\r\n =?utf-8?q?=2C?= =?utf-8?q?J=C3=B6rg?= <d@x.test>",
    ["|a@x.test", "|b@x.test", "Ann|c@x.test", "Jörg|d@x.test"],
  ],
  ["To: Doe =?utf-8?q?=2C?= Ann <a@x.test>", ["Doe, Ann|a@x.test"]],
  ['To: The Shop shop@x.test, "Ann" a@x.test (home)', ["The Shop|shop@x.test", "Ann|a@x.test"]],
  ["To: =?utf-8?Q?J=C3=B6rg?= j@x.test", ["Jörg|j@x.test"]],
  ["To: Ann Doe (a@x.test)", ["Ann Doe|a@x.test"]],
  ['To: "a,b"@x.test (c@x.test), "Doe, Ann" (a@x.test)', ['c@x.test|"a,b"@x.test', "Doe, Ann|a@x.test"]],
  ["To: a@x.test b@x.test, c@x.test", ["|a@x.test", "|b@x.test", "|c@x.test"]],
  ["From: Doe, John <j@x.test>", ["Doe, John|j@x.test"]],
  ['To: a@x.test, ACME, Inc. <i@x.test>, "Ann", root', ["|a@x.test", "ACME, Inc.|i@x.test", "|Ann", "|root"]],
  ["To: , Ann <a@x.test>, <b@x.test>", ["Ann|a@x.test", "|b@x.test"]],
  ['To: "john doe"@x.test, john . doe @ x.test', ['|"john doe"@x.test', "|john.doe@x.test"]],
  [
    'From: "\x1b$BF|K\\\x1b(B" <j@x.test>, \x1b$B;3ED\x1b(B, Ann <a@x.test>',
    ["日本|j@x.test", "山田, Ann|a@x.test"],
  ],
  ["To: root, admin, Ann <a@x.test>", ["|root", "|admin", "Ann|a@x.test"]],
  ["To: =?utf-8?Q?doe?=, Jr., john <j@x.test>", ["doe, Jr., john|j@x.test"]],
  [
    "To: van den berg, jan <j@x.test>, m\xc3\xbcller, j <m@x.test>",
    ["van den berg, jan|j@x.test", "müller, j|m@x.test"],
  ],
  ["From: Doe, John (Sales, West) <j@x.test>", ["Doe, John|j@x.test"]],
  ["From: The Shop <Berlin> <shop@x.test>", ["The Shop|shop@x.test"]],
  ["From: Ann <a@x.test> <a@x.test>", ["Ann|a@x.test"]],
  [
    "To: =?utf-8?Q?J=C3=B6rg_<j@x.test>,_Ann_<a@x.test>?=, b@x.test",
    ["Jörg|j@x.test", "Ann|a@x.test", "|b@x.test"],
  ],
  ["From: =?utf-8?B?QW5uIDxhQHgudGVzdD4=?=", ["Ann|a@x.test"]],
  ["To: =?utf-8?Q?J=C3=B6rg_<j@x.test>?=, Ann <a@x.test>", ["Jörg|j@x.test", "Ann|a@x.test"]],
  [
    "To: =?utf-8?Q?a=40x.test,_b=40x.test?=, =?utf-8?Q?J=C3=B6rg_(j=40x.test)?=",
    ["|a@x.test", "|b@x.test", "Jörg|j@x.test"],
  ],
  ["To: =?utf-8?Q?Doe,_J=C3=B6rg?= j@x.test, a@x.test", ["Doe, Jörg|j@x.test", "|a@x.test"]],
  ["To: =?utf-8?Q?J=C3=B6rg_=3Cj=40x.test=3E,?= a@x.test", ["Jörg|j@x.test", "|a@x.test"]],
  ["To: =?utf-8?Q?j=40x.test,?= a@x.test", ["|j@x.test", "|a@x.test"]],
  ["To: =?utf-8?Q?j=40x.test?= j@x.test", ["j@x.test|j@x.test"]],
  ["From: I <3 mail <a@x.test>", ["I <3 mail|a@x.test"]],
  [
    "To: Ann <a@x.test, Bob <b@x.test Eve <e@x.test, c@x.test",
    ["Ann|a@x.test", "Bob|b@x.test", "Eve|e@x.test", "|c@x.test"],
  ],
  ["To: Ann <a@x.test<mailto:a@x.test>>, root (root@x.test)", ["Ann|a@x.test", "root|root@x.test"]],
  ["From: =?utf-8?Q?The_Shop?=, Ann Doe (at home), root", ["The Shop|", "Ann Doe|", "|root"]],
  ['To: team: "john..doe"@x.test;, "c@x.test"', ['|"john..doe"@x.test', "|c@x.test"]],
  ["From: =?utf-8?Q?ACME (K=C3=B6ln): a;b?= <a@x.test>", ["ACME (Köln): a;b|a@x.test"]],
  ["To: Ann <a@x.test> Bob <b@x.test> <c@x.test>", ["Ann|a@x.test", "Bob|b@x.test", "|c@x.test"]],
  ["To: a@x.test Ann Doe, b@x.test and c@x.test", ["Ann Doe|a@x.test", "|b@x.test", "|c@x.test"]],
  ['To: Ann <<a@x.test>>, "Bob <b@x.test>"', ["Ann|a@x.test", "Bob|b@x.test"]],
  ["To: Ann <mailto:a@x.test>, <@r.test,@s.test:b@x.test>", ["Ann|a@x.test", "|b@x.test"]],
  ["To: ACME, Inc., West <a@x.test>", ["ACME, Inc., West|a@x.test"]],
  ["From: a@x.test (Ann \\(at home\\))", ["Ann (at home)|a@x.test"]],
  // An unclosed quote or parenthesis used to swallow the address.
  ["From: Ann (Sales <a@x.test>", ["Ann (Sales|a@x.test"]],
  ['To: 27" TV <a@x.test>, Ann :-( <b@x.test>', ["27 TV|a@x.test", "Ann :-(|b@x.test"]],
  ["From: a@x.test (Ann Doe", ["Ann Doe|a@x.test"]],
  ['From: "Doe, Ann', ["Doe, Ann|"]],
  // The name used to be cut at a colon that does not begin a group.
  ["From: Daily 10:30:00 <a@x.test>", ["Daily 10:30:00|a@x.test"]],
  ["To: ACME: Orders <a@x.test>, Mail: <b@x.test>", ["ACME: Orders|a@x.test", "|b@x.test"]],
  ["To: team: Ann <a@x.test>; ACME: Orders <b@x.test>", ["Ann|a@x.test", "ACME: Orders|b@x.test"]],
  // 0xA0, the last octet of "à", is not white space.
  ["From: Voil\xc3\xa0 <a@x.test>", ["Voilà|a@x.test"]],
  ["To: \xc3\xa0 la carte \xc3\xa0@x.test, b@\xc3\xa0", ["à la carte|à@x.test", "|b@à"]],
];

describe("the addresses of a field are separated before it is decoded", () => {
  for (const [field, people] of PEOPLE) {
    test(field, () => {
      const [header] = readAddressedHeaders(bytes(`${field}\r\n\r\n`));
      expect(header?.addresses?.map(({ name, address }) => `${name}|${address}`)).toEqual(people);
    });
  }

  test("all of a long list", () => {
    const [header] = readAddressedHeaders(bytes(`To: ${"someone@example.test,".repeat(2000)}\r\n\r\n`));
    expect(header?.addresses).toHaveLength(2000);
  });

  test("only where a field holds addresses", () => {
    expect(readAddressedHeaders(bytes("Subject: a@x.test\r\n\r\n"))).toEqual([
      { name: "Subject", value: "a@x.test" },
    ]);
  });
});

describe("the first words", () => {
  test("are those of the text, white space collapsed, cut at a word", () => {
    const { snippet } = readPreview(bytes(`Subject: x\r\n\r\n  Hello\r\n\r\n  there ${"word ".repeat(100)}`));
    expect(snippet).toStartWith("Hello there word word");
    expect(snippet).toEndWith("word…");
    expect(snippet.length).toBeLessThanOrEqual(141);
  });

  test("are those of the HTML when there is no text, without style and filler", () => {
    const raw = bytes(
      "Content-Type: text/html\r\n\r\n<style>p{}</style><title>no</title><p>&zwnj; &nbsp;Hello&nbsp;<b>you</b></p><script>x</script>",
    );
    expect(readPreview(raw).snippet).toBe("Hello you");
  });

  test("keep the characters that join emoji and letters", () => {
    const words = "👩\u200d💻 می\u200cخواهم (\u200e1\u200e)";
    const padded = Buffer.from(`Subject: x\r\n\r\n\u00a0\u200c\u200b\u200d\u034f ${words}\u034f \u00ad`);
    expect(readPreview(padded).snippet).toBe(words);
  });
});

test("the search text of HTML has words, no markup", () => {
  const raw = bytes(
    'Content-Type: text/html\r\n\r\n<p class="no">One<br>two</p><style>no</style>thr&eacute;e',
  );
  expect(searchText(raw).body).toBe("One\ntwo\n\nthrée");
});

test("words of the HTML are found when its text alternative is blank", () => {
  const raw = bytes(
    "Content-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\n\r\n \r\n--b\r\nContent-Type: text/html\r\n\r\n<p>rich</p>\r\n--b--",
  );
  expect(searchText(raw).body.trim()).toBe("rich");
});
