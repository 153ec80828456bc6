// The part tree, and the facts that are found while a mail arrives, for hand-written mails.
import { describe, expect, test } from "bun:test";
import {
  listAttachments,
  type MimePart,
  type MimeStructure,
  readHeaders,
  readStructure,
  startScan,
  startStructureScan,
} from "../../src/mime/index.ts";
import { leavesOf } from "../../src/mime/structure.ts";

const mail = (...lines: string[]) => Buffer.from(lines.join("\r\n"), "latin1");
const MESSAGE_ID = "01JCMZ5T0GQ3V4W5X6Y7Z8A9BC";

const scan = (raw: Uint8Array) => {
  const started = startScan();
  started.push(raw);
  return started.finish();
};

/** `type:role`, with children in parentheses: enough to compare trees at a glance. */
const outline = (part: MimePart): string =>
  `${part.type}:${part.role}${part.children.length > 0 ? `(${part.children.map(outline).join(" ")})` : ""}`;

const NESTED = mail(
  "From: a@x.test",
  "Subject: nested",
  'Content-Type: multipart/mixed; boundary="outer"',
  "",
  "preamble",
  "--outer",
  "Content-Type: multipart/alternative; boundary=inner",
  "",
  "--inner",
  "Content-Type: text/plain",
  "",
  "plain",
  "--inner",
  "Content-Type: text/html",
  "Content-Transfer-Encoding: quoted-printable",
  "",
  "<b>h=C3=A4</b>",
  "--inner--",
  "between",
  "--outer",
  "Content-Type: image/png",
  "Content-ID: <logo@x>",
  "Content-Disposition: inline",
  "Content-Transfer-Encoding: base64",
  "",
  "aGVs",
  "bG8=",
  "--outer--",
  "epilogue",
  "",
);

const TREES: Record<string, { raw: Buffer; tree: string; attachments: number }> = {
  "no header and no body": { raw: mail(""), tree: "text/plain:text", attachments: 0 },
  "only a header": { raw: mail("Subject: x", ""), tree: "text/plain:text", attachments: 0 },
  "Markdown alone": {
    raw: mail("Content-Type: text/markdown; charset=utf-8", "", "# Hi"),
    tree: "text/markdown:text",
    attachments: 0,
  },
  "Markdown before a file, and Markdown after it": {
    raw: mail(
      "Content-Type: multipart/mixed; boundary=b",
      "",
      "--b",
      "Content-Type: text/markdown",
      "",
      "# Hi",
      "--b",
      "Content-Type: application/pdf",
      "",
      "x",
      "--b",
      "Content-Type: text/markdown",
      "",
      "notes",
      "--b--",
    ),
    tree: "multipart/mixed:multipart(text/markdown:text application/pdf:attachment text/markdown:attachment)",
    attachments: 2,
  },
  "Markdown that is a file": {
    raw: mail(
      "Content-Type: multipart/mixed; boundary=b",
      "",
      "--b",
      "Content-Type: text/markdown; name=readme.md",
      "",
      "# Hi",
      "--b--",
    ),
    tree: "multipart/mixed:multipart(text/markdown:attachment)",
    attachments: 1,
  },
  "a program alone that has a name": {
    raw: mail("Content-Type: text/x-python; name=a.py", "", "print()"),
    tree: "text/x-python:attachment",
    attachments: 1,
  },
  "a calendar alone": {
    raw: mail("Content-Type: text/calendar; method=REQUEST", "", "BEGIN:VCALENDAR"),
    tree: "text/calendar:attachment",
    attachments: 1,
  },
  "alternatives and an inline image": {
    raw: NESTED,
    tree: "multipart/mixed:multipart(multipart/alternative:multipart(text/plain:text text/html:html) image/png:attachment)",
    attachments: 1,
  },
  "an inner multipart that is never closed ends at the outer delimiter": {
    raw: mail(
      "Content-Type: multipart/mixed; boundary=o",
      "",
      "--o",
      "Content-Type: multipart/related; boundary=i",
      "",
      "--i",
      "Content-Type: text/html",
      "",
      "x",
      "--o",
      "Content-Type: application/pdf",
      "",
      "y",
      "--o--",
    ),
    tree: "multipart/mixed:multipart(multipart/related:multipart(text/html:html) application/pdf:attachment)",
    attachments: 1,
  },
  "a delimiter with white space after it": {
    raw: mail(
      "Content-Type: multipart/mixed; boundary=o",
      "",
      "--o  ",
      "",
      "x",
      "--o\t",
      "Content-Type: a/b",
      "",
      "",
      "--o-- ",
    ),
    tree: "multipart/mixed:multipart(text/plain:text a/b:attachment)",
    attachments: 1,
  },
  "a multipart without a boundary is its text": {
    raw: mail("Content-Type: multipart/mixed", "", "hello"),
    tree: "multipart/mixed:text",
    attachments: 0,
  },
  "a multipart whose boundary never comes is its text": {
    raw: mail("Content-Type: multipart/mixed; boundary=zz", "", "hello"),
    tree: "multipart/mixed:text",
    attachments: 0,
  },
  "a multipart that is closed before it has a part has none": {
    raw: mail("Content-Type: multipart/mixed; boundary=b", "", "preamble", "--b--", "epilogue"),
    tree: "multipart/mixed:multipart",
    attachments: 0,
  },
  "a multipart of nothing but delimiters has no part": {
    raw: mail("Content-Type: multipart/mixed; boundary=b", "", "--b", "--b", "--b--", ""),
    tree: "multipart/mixed:multipart",
    attachments: 0,
  },
  "an inner multipart without parts, before one with a part": {
    raw: mail(
      "Content-Type: multipart/mixed; boundary=o",
      "",
      "--o",
      "Content-Type: multipart/mixed; boundary=i",
      "",
      "--i--",
      "--o",
      "",
      "x",
      "--o--",
    ),
    tree: "multipart/mixed:multipart(multipart/mixed:multipart text/plain:text)",
    attachments: 0,
  },
  "a boundary that is the start of another": {
    raw: mail(
      "Content-Type: multipart/mixed; boundary=a",
      "",
      "--a",
      "Content-Type: multipart/alternative; boundary=ab",
      "",
      "--ab",
      "",
      "x",
      "--ab--",
      "--a--",
    ),
    tree: "multipart/mixed:multipart(multipart/alternative:multipart(text/plain:text))",
    attachments: 0,
  },
  "an attached message is one leaf": {
    raw: mail(
      "Content-Type: multipart/mixed; boundary=a",
      "",
      "--a",
      "Content-Type: message/rfc822",
      "",
      "Content-Type: multipart/mixed; boundary=q",
      "",
      "--q",
      "Content-Type: image/gif",
      "",
      "x",
      "--q--",
      "--a--",
    ),
    tree: "multipart/mixed:multipart(message/rfc822:attachment)",
    attachments: 1,
  },
  "parts of a digest are messages": {
    raw: mail("Content-Type: multipart/digest; boundary=a", "", "--a", "", "Subject: x", "", "y", "--a--"),
    tree: "multipart/digest:multipart(message/rfc822:attachment)",
    attachments: 1,
  },
  "an invitation next to the body": {
    raw: mail(
      "Content-Type: multipart/alternative; boundary=a",
      "",
      "--a",
      "Content-Type: text/plain",
      "",
      "come",
      "--a",
      "Content-Type: text/calendar; method=REQUEST",
      "",
      "BEGIN:VCALENDAR",
      "--a--",
    ),
    tree: "multipart/alternative:multipart(text/plain:text text/calendar:attachment)",
    attachments: 1,
  },
  "text with a file name, and text sent as attachment": {
    raw: mail(
      "Content-Type: multipart/mixed; boundary=a",
      "",
      "--a",
      "Content-Disposition: inline",
      "Content-Type: text/plain",
      "",
      "1",
      "--a",
      "Content-Type: text/plain; name=notes.txt",
      "",
      "2",
      "--a",
      "Content-Disposition: attachment",
      "Content-Type: text/plain",
      "",
      "3",
      "--a--",
    ),
    tree: "multipart/mixed:multipart(text/plain:text text/plain:attachment text/plain:attachment)",
    attachments: 2,
  },
  "a header that starts with white space": {
    raw: mail("Content-Type: multipart/mixed; boundary=a", "", "--a", " Content-Type: x/y", "", "1", "--a--"),
    tree: "multipart/mixed:multipart(x/y:attachment)",
    attachments: 1,
  },
  "an outer delimiter right after an inner one": {
    raw: mail(
      "Content-Type: multipart/mixed; boundary=a",
      "",
      "--a",
      "Content-Type: multipart/mixed; boundary=b",
      "",
      "--b",
      "--a--",
      "--b",
      "Content-Type: x/y",
      "",
      "behind the end",
    ),
    tree: "multipart/mixed:multipart(multipart/mixed:multipart)",
    attachments: 0,
  },
  "a delimiter after a lone carriage return": {
    raw: mail(
      "Content-Type: multipart/mixed; boundary=a",
      "",
      "--a",
      "Content-Type: x/y",
      "",
      "1",
      "\r--a--",
      "--a",
      "Content-Type: x/z",
      "",
      "2",
      "--a--",
    ),
    tree: "multipart/mixed:multipart(x/y:attachment x/z:attachment)",
    attachments: 2,
  },
  "a closing delimiter before any part": {
    raw: mail(
      "Content-Type: multipart/mixed; boundary=a",
      "",
      "--a--",
      "--a",
      "Content-Type: x/y",
      "",
      "1",
      "--a--",
    ),
    tree: "multipart/mixed:multipart(x/y:attachment)",
    attachments: 1,
  },
};

describe("the tree of", () => {
  for (const [name, { raw, tree, attachments }] of Object.entries(TREES)) {
    test(name, () => {
      const structure = readStructure(raw);
      expect(outline(structure.root)).toBe(tree);
      expect(listAttachments(MESSAGE_ID, structure)).toHaveLength(attachments);
      expect(scan(raw).has_attachments).toBe(attachments > 0);
    });

    test(`${name} is the same however the bytes are cut`, () => {
      const whole = readStructure(raw);
      for (let cut = 0; cut <= raw.length; cut++) {
        const inTwo = startStructureScan();
        inTwo.push(raw.subarray(0, cut));
        inTwo.push(raw.subarray(cut));
        expect(inTwo.finish()).toEqual(whole);
      }
      const byteByByte = startStructureScan();
      for (let at = 0; at < raw.length; at++) byteByByte.push(raw.subarray(at, at + 1));
      expect(byteByByte.finish()).toEqual(whole);
    });
  }
});

describe("a long header", () => {
  const lines = "X-Filler: some words\n".repeat(2000);
  const HEADERS: Record<string, string> = {
    "that an empty line ends": `${lines}\n`,
    "that a line of CR LF ends": `${lines.replaceAll("\n", "\r\n")}\r\n`,
    "with a line without end": `${lines}X-Long: ${"x".repeat(50_000)}\n\r\n`,
    "with a line that is no field": `${lines}body\nX-Y: z\n\n`,
    "that text ends": lines,
    "that a delimiter ends": `Content-Type: multipart/mixed; boundary=b\n${lines}`,
    "that is not there": "\n",
  };
  test.each(Object.keys(HEADERS))("%s is the same however the bytes are cut", (name) => {
    const raw = Buffer.from(`${HEADERS[name]}${name.includes("delimiter") ? "--b\n\n" : ""}body\n\n${lines}`);
    const whole = readStructure(raw);
    expect(whole.root.start).toBe(HEADERS[name]?.length ?? 0);
    for (const bytes of [1000, 16_384, 20_001, 41_999, 42_000, 42_001]) {
      const scan = startStructureScan();
      for (let at = 0; at < raw.length; at += bytes) scan.push(raw.subarray(at, at + bytes));
      expect(scan.finish()).toEqual(whole);
    }
  });
});

test("a part knows its range, its decoded size and its Content-ID", () => {
  const [, image] = readStructure(NESTED).root.children;
  expect(NESTED.toString("latin1", image?.start, image?.end)).toBe("aGVs\r\nbG8=");
  expect(image).toMatchObject({ size: 5, contentId: "logo@x", encoding: "base64", disposition: "inline" });
});

test("attachment ids are ULIDs of the message's time and stay the same", () => {
  const [first] = listAttachments(MESSAGE_ID, readStructure(NESTED));
  const [again] = listAttachments(MESSAGE_ID, readStructure(NESTED));
  expect(first?.attachment.id).toMatch(/^01JCMZ5T0G[0-9A-HJKMNP-TV-Z]{16}$/);
  expect(again).toEqual(first as never);
});

const NAMES: [header: string, filename: string][] = [
  ['Content-Disposition: attachment; filename="a b.pdf"', "a b.pdf"],
  ["Content-Disposition: attachment; filename=a b (1).pdf", "a b (1).pdf"],
  ["Content-Disposition: attachment; filename=a (1)", "a (1)"],
  ['Content-Disposition: attachment; filename="a (1)"', "a (1)"],
  ['Content-Disposition: attachment; filename="a.pdf" (scanned)', "a.pdf"],
  ['Content-Disposition: attachment; filename="a.pdf" size=10', "a.pdf"],
  ['Content-Disposition: attachment; filename="a "b" c.pdf"', "a b c.pdf"],
  ["Content-Disposition: attachment; filename=a b=c.pdf", "a b=c.pdf"],
  ['Content-Disposition: attachment filename="a;b.pdf"', "a;b.pdf"],
  ["Content-Disposition: attachment; filename*=utf-8''%e2%82%ac%20rates.pdf", "€ rates.pdf"],
  ['Content-Disposition: attachment; filename*0="long "; filename*1=name.pdf', "long name.pdf"],
  ["Content-Disposition: attachment; filename*1*=%a4.pdf; filename*0*=iso-8859-15''x", "x€.pdf"],
  ["Content-Disposition: attachment; filename=fallback.pdf; filename*=utf-8''real.pdf", "real.pdf"],
  ['Content-Disposition: attachment; filename="=?iso-8859-1?Q?caf=E9.pdf?="', "café.pdf"],
  ['Content-Disposition: attachment; filename="caf\xc3\xa9.pdf"', "café.pdf"],
  ['Content-Disposition: attachment; filename="caf\xe9.pdf"', "café.pdf"],
  ["Content-Disposition: attachment; filename=voil\xc3\xa0", "voilà"],
  ['Content-Disposition: attachment; filename="a\\"b;c.pdf"', 'a"b;c.pdf'],
  ['Content-Disposition: attachment; filename="C:\\mail\\new\\a b.pdf"', "C:_mail_new_a b.pdf"],
  ['Content-Disposition: attachment; filename="a\\\\b.pdf"', "a_b.pdf"],
  ["Content-Disposition: attachment; filename=../../etc/passwd", ".._.._etc_passwd"],
  [`Content-Disposition: attachment; filename=${"a".repeat(1200)}.pdf`, `${"a".repeat(996)}.pdf`],
  ["Content-Disposition: attachment", "attachment-1.pdf"],
  ['Content-Disposition: attachment; filename=""', "attachment-1.pdf"],
  ["X: y", "attachment-1.pdf"],
];

for (const [header, filename] of NAMES) {
  test(`the name of an attachment with ${header}`, () => {
    const raw = mail("Content-Type: application/pdf", header, "", "x");
    expect(listAttachments(MESSAGE_ID, readStructure(raw))[0]?.attachment.filename).toBe(filename);
  });
}

const COMMENTED = [
  "Content-Type: multipart/mixed; boundary=b (Two parts)",
  'Content-Type: multipart/mixed; boundary="b" (in (nested) ones)',
  "Content-Type: multipart/mixed; (Two parts) boundary=b",
];

for (const header of COMMENTED) {
  test(`a comment is not part of the boundary (RFC 2045 section 5.1): ${header}`, () => {
    const { root } = readStructure(
      mail(header, "", "--b", "Content-Type: text/plain; charset=koi8-r (Russian)", "", "x", "--b--"),
    );
    expect(outline(root)).toBe("multipart/mixed:multipart(text/plain:text)");
    expect(root.children[0]?.charset).toBe("koi8-r");
  });
}

test("a type may have white space around its slash (RFC 2045 section 5.1)", () => {
  const { root } = readStructure(
    mail(
      "Content-Type: multipart / mixed; boundary=b",
      "",
      "--b",
      "Content-Type: Text /html",
      "",
      "x",
      "--b--",
    ),
  );
  expect(outline(root)).toBe("multipart/mixed:multipart(text/html:html)");
});

test("parentheses in a boundary are not a comment", () => {
  for (const boundary of ['"b (1)"', "b(1)"]) {
    const line = `--${boundary.replaceAll('"', "")}`;
    const { root } = readStructure(
      mail(`Content-Type: multipart/mixed; boundary=${boundary}`, "", line, "", "x", `${line}--`),
    );
    expect(outline(root)).toBe("multipart/mixed:multipart(text/plain:text)");
  }
});

/** A multipart of parts given as header lines; each part's body is its number. */
const parts = (type: string, ...headers: string[][]) =>
  mail(
    `Content-Type: multipart/${type}; boundary=a`,
    "",
    ...headers.flatMap((lines, index) => ["--a", ...lines, "", String(index)]),
    "--a--",
  );

const TEXT = "Content-Type: text/plain";
const HTML = "Content-Type: text/html";

const MERGED: Record<string, { raw: Buffer; roles: string[]; ids: (string | undefined)[] }> = {
  "a page next to the root of a multipart/related": {
    raw: parts("related", [HTML, "Content-ID: <root@x>"], [HTML, "Content-ID: <frame@x>"]),
    roles: ["html", "attachment"],
    ids: ["frame@x"],
  },
  "texts with a Content-ID in a multipart/mixed": {
    raw: parts("mixed", [TEXT, "Content-ID: <first@x>"], [TEXT, "Content-ID: <note@x>"], [TEXT]),
    roles: ["text", "text", "text"],
    ids: [],
  },
  "an image before the root that a multipart/related names": {
    raw: parts('related; start="<root@x>"', ["Content-Type: image/png"], [HTML, "Content-ID: <root@x>"]),
    roles: ["attachment", "html"],
    ids: [undefined],
  },
  "versions of the body with a Content-ID": {
    raw: parts("alternative", [TEXT, "Content-ID: <t@x>"], [HTML, "Content-ID: <h@x>"]),
    roles: ["text", "html"],
    ids: [],
  },
  "the parts of a report that are for programs": {
    raw: parts(
      "report",
      [TEXT],
      ["Content-Type: message/delivery-status"],
      ["Content-Type: message/disposition-notification"],
      ["Content-Type: text/rfc822-headers"],
    ),
    roles: ["text", "attachment", "attachment", "attachment"],
    ids: [undefined, undefined, undefined],
  },
};

describe("the body and the files are told apart among", () => {
  for (const [name, { raw, roles, ids }] of Object.entries(MERGED)) {
    test(name, () => {
      const structure = readStructure(raw);
      expect(structure.root.children.map(({ role }) => role)).toEqual(roles as never);
      expect(listAttachments(MESSAGE_ID, structure).map(({ contentId }) => contentId)).toEqual(ids);
      expect(scan(raw).has_attachments).toBe(ids.length > 0);
    });
  }
});

test("a text file inside the HTML version of a mail is a file, not part of its body", () => {
  const raw = mail(
    "Content-Type: multipart/alternative; boundary=a",
    "",
    "--a",
    'Content-Type: text/plain; name="body.txt"',
    "",
    "plain",
    "--a",
    "Content-Type: multipart/mixed; boundary=m",
    "",
    "--m",
    'Content-Type: text/html; name="body.html"',
    "",
    "<p>rich</p>",
    "--m",
    "Content-Type: text/plain",
    "Content-Disposition: inline; filename=notes.txt",
    "",
    "notes",
    "--m",
    "Content-Type: text/html",
    "",
    "<p>regards</p>",
    "--m--",
    "--a--",
  );
  const structure = readStructure(raw);
  expect(outline(structure.root)).toBe(
    "multipart/alternative:multipart(text/plain:text multipart/mixed:multipart(text/html:html text/plain:attachment text/html:html))",
  );
  expect(listAttachments(MESSAGE_ID, structure).map(({ attachment }) => attachment.filename)).toEqual([
    "notes.txt",
  ]);
  expect(scan(raw).has_attachments).toBe(true);
});

describe("HTML with a file name is read as the body", () => {
  const page = 'Content-Type: text/html; name="page.html"';
  const image = ["Content-Type: image/png", "Content-ID: <image@x>", "", "png"];
  const related = (start: string, ...parts: string[][]) => [
    `Content-Type: multipart/related; boundary=r${start}`,
    "",
    ...parts.flatMap((part) => ["--r", ...part]),
    "--r--",
  ];

  test("if it comes first", () => {
    const raw = mail(
      ...related("", [page, "Content-Disposition: inline", "", "<p>"], image, [page, "", "x"]),
    );
    expect(outline(readStructure(raw).root)).toBe(
      "multipart/related:multipart(text/html:html image/png:attachment text/html:attachment)",
    );
  });

  test("if its container names it as the start", () => {
    const parts = related('; start="<page@x>"', image, [page, "Content-ID: <page@x>", "", "<p>"]);
    const raw = mail("Content-Type: multipart/alternative; boundary=a", "", "--a", ...parts, "--a--");
    expect(outline(readStructure(raw).root)).toBe(
      "multipart/alternative:multipart(multipart/related:multipart(image/png:attachment text/html:html))",
    );
  });
});

describe("a text with a file name is the body", () => {
  const FILE = "Content-Disposition: inline; filename=notes.txt";
  const outlines: Record<string, [raw: Buffer, outline: string]> = {
    "if it is the first part": [
      parts("mixed", [`${HTML}; name=mail.html`], ["Content-Type: application/pdf"], [TEXT, FILE]),
      "multipart/mixed:multipart(text/html:html application/pdf:attachment text/plain:attachment)",
    ],
    "if it is the only part": [parts("mixed", [TEXT, FILE]), "multipart/mixed:multipart(text/plain:text)"],
    "unless its disposition is attachment": [
      parts("mixed", [TEXT, "Content-Disposition: attachment; filename=notes.txt"]),
      "multipart/mixed:multipart(text/plain:attachment)",
    ],
  };
  for (const [name, [raw, expected]] of Object.entries(outlines)) {
    test(name, () => {
      expect(outline(readStructure(raw).root)).toBe(expected);
      expect(scan(raw).has_attachments).toBe(expected.includes("attachment"));
    });
  }

  test("if it is the first part of a signed mail, but not in later parts", () => {
    const inner = (boundary: string) => [
      `Content-Type: multipart/mixed; boundary=${boundary}`,
      "",
      `--${boundary}`,
      TEXT,
      FILE,
      "",
      "x",
      `--${boundary}--`,
    ];
    const raw = mail(
      "Content-Type: multipart/signed; boundary=s",
      "",
      ...["--s", ...inner("a"), "--s", ...inner("b"), "--s--"],
    );
    expect(outline(readStructure(raw).root)).toBe(
      "multipart/signed:multipart(multipart/mixed:multipart(text/plain:text) multipart/mixed:multipart(text/plain:attachment))",
    );
  });
});

test("the files of a report about mail in UTF-8 (RFC 6533) have names that programs open", () => {
  const types = ["global-delivery-status", "global-disposition-notification", "global-headers", "global"];
  const raw = parts("report", ...types.map((type) => [`Content-Type: message/${type}`]));
  const names = listAttachments(MESSAGE_ID, readStructure(raw)).map(({ attachment }) => attachment.filename);
  expect(names).toEqual(["attachment-1.txt", "attachment-2.txt", "attachment-3.txt", "attachment-4.eml"]);
});

test("a delivery status alone is a file, not text", () => {
  const raw = mail("Content-Type: message/delivery-status", "", "Action: failed");
  expect(readStructure(raw).root.role).toBe("attachment");
  expect(scan(raw).has_attachments).toBe(true);
});

test("a delimiter with white space before its closing dashes does not close the multipart (RFC 2046 section 5.1.1)", () => {
  const { root } = readStructure(
    mail(
      "Content-Type: multipart/mixed; boundary=b",
      "",
      "--b",
      "",
      "one",
      "--b --",
      "still one",
      "--b",
      "",
      "two",
      "--b-- ",
    ),
  );
  expect(root.children).toHaveLength(2);
  expect(root.closed).toBe(true);
});

test("a field that starts with a stray carriage return is seen while the mail arrives", () => {
  const raw = mail("Subject: x", "\rContent-Type: image/png", "", "x");
  expect(readStructure(raw).root.role).toBe("attachment");
  expect(scan(raw).has_attachments).toBe(true);
});

const TYPES: [written: string, type: string][] = [
  ["IMAGE/png", "image/png"],
  ["application/vnd.a+b.c-d_e; x=y", "application/vnd.a+b.c-d_e"],
  ["image/png charset=x", "image/png"],
  ["image/p\x01ng", "application/octet-stream"],
  ["image/p\x7fng", "application/octet-stream"],
  ["image/pn\xe9g", "application/octet-stream"],
  ["image /png", "image/png"],
  ["image/ png", "image/png"],
  ["some image/png", "application/octet-stream"],
  ["image/png/x", "application/octet-stream"],
  ["image/", "application/octet-stream"],
  ["/png", "application/octet-stream"],
  ["image", "application/octet-stream"],
  ["", "application/octet-stream"],
  [`image/${"x".repeat(200)}`, "application/octet-stream"],
];

describe("the type of an attachment is valid, even if this was written:", () => {
  for (const [written, type] of TYPES) {
    test(JSON.stringify(written), () => {
      for (const header of ["Content-Disposition: attachment", "Content-ID: <x@y>"]) {
        const raw = parts("mixed", [TEXT], [`Content-Type: ${written}`, header]);
        const [file] = listAttachments(MESSAGE_ID, readStructure(raw));
        expect(file?.attachment.content_type).toBe(type);
        expect(scan(raw).has_attachments).toBe(true);
      }
    });
  }

  test("a malformed type means text (RFC 2045 section 5.2)", () => {
    for (const written of ["text", ";;;", "nonsense", ""]) {
      expect(outline(readStructure(mail(`Content-Type: ${written}`, "", "x")).root)).toBe("text/plain:text");
    }
  });
});

const CONTENT_IDS: [written: string, id: string][] = [
  ["<gif@x> (comment)", "gif@x"],
  ["(comment) <gif@x>", "gif@x"],
  ["gif@x (comment)", "gif@x"],
  ["<gif(1)@x>", "gif(1)@x"],
  ["gif(1)@x", "gif(1)@x"],
  [" < gif@x > ", "gif@x"],
  ["<<gif@x>>", "gif@x"],
  ["gif@x>", "gif@x"],
  ["<gif@x", "gif@x"],
];

for (const [written, id] of CONTENT_IDS) {
  test(`a part is found by its Content-ID: ${written}`, () => {
    const raw = mail("Content-Type: image/gif", `Content-ID: ${written}`, "", "x");
    expect(listAttachments(MESSAGE_ID, readStructure(raw))[0]?.contentId).toBe(id);
  });
}

const FIRST_LINES: [what: string, raw: string, body: string][] = [
  ["a word", "hello", "hello"],
  ["a line of text", "hello world\r\n", "hello world\r\n"],
  ["a salutation, then a paragraph", "Hi Ann,\r\n\r\nit works\r\n", "Hi Ann,\r\n\r\nit works\r\n"],
  ["several words and a colon", "Dear Ann: hello\r\nthere\r\n", "Dear Ann: hello\r\nthere\r\n"],
  ["a line above a link", "Verify:\r\nhttps://x.test/y\r\n", "https://x.test/y\r\n"],
  ["a field, and text follows at once", "Subject: x\r\nHi Ann,\r\nNote: y", "Hi Ann,\r\nNote: y"],
  ["a field, and paragraphs follow at once", "Subject: x\nHi Ann,\n\nbye\n", "Hi Ann,\n\nbye\n"],
  [
    "a field, and text with a colon follows",
    "Subject: x\nHi Ann,\nNote: y\n\nbye\n",
    "Hi Ann,\nNote: y\n\nbye\n",
  ],
  [
    "a field, and text with an indented line follows",
    "Subject: x\nHi Ann,\n  y\n\nbye\n",
    "Hi Ann,\n  y\n\nbye\n",
  ],
  ["a field, and the last is folded", "Subject: x\nHi Ann,\nX-Y: z;\n a\n\tb\n\nbody", "body"],
  ["a field, and the last one is folded and has an unusual name", "Subject: x\nFoo: y;\n a\n\nbody", "body"],
  ["a field, and the last one has an unusual name", "Subject: x\nHi Ann,\nX-Y: z\nFoo: y\n\nbody", "body"],
  [
    "a field, and the last one is folded without a space",
    "Content-Type: text/plain;\nname=x\n\nbody",
    "body",
  ],
  ["a field, and a line between others is not a field", "Subject: x\nHi Ann,\nTo: a@x\n\nbody", "body"],
  ["the separator of an mbox, and no empty line follows", "From a@x Mon Jan  1\r\nSubject: x\r\n", ""],
  ["words above a link", "Please verify:\r\nhttps://x.test/y\r\n", "Please verify:\r\nhttps://x.test/y\r\n"],
  ["a damaged field", "Subj ct: x\r\nTo: a@x\r\n\r\nbody", "body"],
  ["a long line", `${"x".repeat(3000)}: y\r\n\r\nz`, `${"x".repeat(3000)}: y\r\n\r\nz`],
  ["a field", "Subject: x\r\n\r\nbody", "body"],
  ["a field with a space before its colon", "Subject : x\r\n\r\nbody", "body"],
  ["a field after a byte order mark", "\xef\xbb\xbfSubject: x\r\n\r\nbody", "body"],
  ["a field after white space", "  Subject: x\r\n\r\nbody", "body"],
  ["the separator of an mbox", "From a@x Mon Jan  1\r\nSubject: x\r\n\r\nbody", "body"],
  ["its quoted form", ">From a@x Mon Jan  1\r\nSubject: x\r\n\r\nbody", "body"],
  ["nothing", "\r\nbody", "body"],
];

describe("the beginning of the body is found if the first line is", () => {
  for (const [what, raw, body] of FIRST_LINES) {
    test(what, () => {
      const bytes = Buffer.from(raw, "latin1");
      for (let cut = 0; cut <= bytes.length; cut++) {
        const scan = startStructureScan();
        scan.push(bytes.subarray(0, cut));
        scan.push(bytes.subarray(cut));
        const { start, end } = scan.finish().root;
        expect(bytes.toString("latin1", start, end)).toBe(body);
      }
    });
  }
});

test("lines of text with a colon right after a field are not fields", () => {
  for (const text of ["Dear Ann: hello\r\nbye", "https://x.test/", "Hi Ann,\r\nsee https://x.test/"]) {
    const headers = readHeaders(Buffer.from(`Subject: x\r\n${text}\r\n\r\nbody`));
    expect(headers).toEqual([{ name: "Subject", value: "x" }]);
  }
});

test("a mail that begins with text has no fields further down", () => {
  expect(readHeaders(Buffer.from("Hi Ann,\r\n\r\nSubject: x\r\n\r\nbody"))).toEqual([]);
});

/** The octets of every leaf. Expects the same octets for every cut of the message in two. */
function leafTexts(raw: Buffer): string[] {
  const texts = (structure: MimeStructure) =>
    leavesOf(structure).map(({ start, end, size }) => {
      expect(size).toBe(end - start);
      return raw.toString("latin1", start, end);
    });
  const whole = texts(readStructure(raw));
  for (let cut = 1; cut < raw.length; cut++) {
    const started = startStructureScan();
    started.push(raw.subarray(0, cut));
    started.push(raw.subarray(cut));
    expect(texts(started.finish())).toEqual(whole);
  }
  return whole;
}

const FORGOTTEN: [what: string, part: string[], texts: string[]][] = [
  ["has no header", ["Hi Ann,", "see: you"], ["Hi Ann,\r\nsee: you"]],
  ["has no header, but paragraphs", ["Hi Ann,", "", "bye", ""], ["Hi Ann,\r\n\r\nbye\r\n"]],
  ["has no header, but a link above a field", ["https://x.test/", "Note: x"], ["https://x.test/\r\nNote: x"]],
  ["has a header, and paragraphs", ["X: y", "Hi Ann,", "", "bye"], ["Hi Ann,\r\n\r\nbye"]],
  ["has a header", ["Content-Type: text/plain", "Hi Ann,", "bye"], ["Hi Ann,\r\nbye"]],
  [
    "has parts",
    ["Content-Type: multipart/mixed;", ' boundary="In"', "--In", "", "one", "--In", "", "two", "--In--"],
    ["one", "two"],
  ],
  ["has a fold without its space", ["Content-Type: image/png;", "name=x.png", "", "png"], ["png"]],
  ["begins with garbage", ["garbage", "Content-Type: image/png", "", "png"], ["png"]],
  ["has no text", ["Content-Type: image/png"], [""]],
];

describe("without the empty line after a header the text is kept, if a part", () => {
  for (const [what, part, texts] of FORGOTTEN) {
    test(what, () => {
      const head = ["Content-Type: multipart/mixed; boundary=b", "", "--b"];
      expect(leafTexts(mail(...head, ...part, "--b", "", "next", "--b--"))).toEqual([...texts, "next"]);
      expect(leafTexts(mail(...head, ...part))).toEqual(texts);
    });
  }

  test("is the first, and follows the header of the message at once", () => {
    const fields = ["Subject: x", 'Content-Type: multipart/mixed; boundary="b"'];
    const parts = ["--b", "Content-Type: text/plain", "", "one", "--b--"];
    const raw = mail(...fields, ...parts);
    expect(leafTexts(raw)).toEqual(["one"]);
    expect(readHeaders(raw).map(({ name }) => name)).toEqual(["Subject", "Content-Type"]);
    const long = mail(...fields, `X-Long: ${"x".repeat(20_000)}`, ...parts);
    expect(outline(readStructure(long).root)).toBe("multipart/mixed:multipart(text/plain:text)");
    const other = mail(...fields, "--c", "X-Other: y", "", ...parts);
    expect(leafTexts(other)).toEqual(["one"]);
    expect(readHeaders(other)).toHaveLength(3);
  });
});

test.each([
  ["whose lines end with CR CR LF", "Subject: x\r\r\n\r\r\n", "Hi Ann, again\r\r\n"],
  ["whose header lacks its empty line", "Subject: x\r\n", "Hi Ann, again\r\n"],
])("a mail %s has its text, even if it is large", (_, header, line) => {
  for (const lines of [1, 10_000]) {
    const { root, truncated } = readStructure(Buffer.from(header + line.repeat(lines)));
    expect([root.start, truncated]).toEqual([header.length, null]);
  }
});

test("a file of the type multipart/mixed, but without a boundary, is not merged into the body", () => {
  const raw = mail(
    "Content-Type: multipart/mixed; boundary=b",
    "",
    "--b",
    "Content-Type: text/plain",
    "",
    "text",
    "--b",
    "Content-Type: multipart/mixed; name=a.txt",
    "Content-Disposition: attachment; filename=a.txt",
    "",
    "file",
    "--b--",
  );
  expect(outline(readStructure(raw).root)).toBe(
    "multipart/mixed:multipart(text/plain:text multipart/mixed:attachment)",
  );
  expect(scan(raw).has_attachments).toBe(true);
});
