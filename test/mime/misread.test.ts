// Mails that Mailkeep misread. They were found among thousands of public mails, by comparing what
// Mailkeep and other programs read.
import { afterAll, describe, expect, test } from "bun:test";
import { decodeHeaderText } from "../../src/mime/header/text.ts";
import {
  createBodyParser,
  decodePart,
  listAttachments,
  readHeaders,
  readStructure,
  searchText,
  startScan,
} from "../../src/mime/index.ts";

const parser = createBodyParser({
  startWorker: () => new Worker(new URL("../../src/worker/parse-worker.ts", import.meta.url).href),
  timeoutMs: 10_000,
  maxBytes: 1024 * 1024,
});
afterAll(() => parser.close());

const MESSAGE_ID = "01JCMZ5T0GQ3V4W5X6Y7Z8A9BC";

const mail = (...lines: string[]) => Buffer.from(lines.join("\r\n"), "latin1");

function scan(raw: Uint8Array) {
  const started = startScan();
  started.push(raw);
  return started.finish();
}

async function read(raw: Buffer) {
  const structure = readStructure(raw);
  const source = { bytes: async (start: number, end: number) => raw.subarray(start, end) };
  const { text_body, html_body } = await parser.parse(source, structure);
  const files = listAttachments(MESSAGE_ID, structure);
  expect(scan(raw).has_attachments).toBe(files.length > 0);
  return { text: text_body, html: html_body, files: files.map(({ attachment }) => attachment.filename) };
}

async function peopleOf(field: string): Promise<string[]> {
  const { found } = await parser.readHeaders(mail(field, "", ""));
  return found.flatMap(({ addresses = [] }) => addresses.map(({ name, address }) => `${name}|${address}`));
}

describe("an octet beyond ASCII inside an encoded word is decoded once:", () => {
  test.each([
    ["=?iso-8859-1?Q?Fr\xf6sche?=", "Frösche"],
    ["=?koi8-r?Q?\xf0\xd2\xc9?= \xc3\xa9", "При é"],
    ["=?utf-8?Q?Fr\xc3\xb6sche?=", "Frösche"],
  ])("%j", async (octets, text) => {
    expect(scan(mail(`Subject: ${octets}`, "", "")).subject).toBe(text);
    const type = "Content-Type: text/plain; charset=windows-1251";
    expect(readHeaders(mail(`Subject: ${octets}`, type, "", ""))[0]?.value).toBe(text);
    expect(await peopleOf(`From: ${octets} <j@x.test>`)).toEqual([`${text}|j@x.test`]);
  });
});

test("a boundary of blanks does not make a signature a delimiter", async () => {
  const raw = mail('Content-Type: multipart/mixed; boundary=" "', "", "Hello", "-- ", "Ann");
  expect((await read(raw)).text).toContain("Hello");
});

test.each(["multipart/*; boundary=b", "multipart/mixed>; boundary=b", "multipart/; boundary=b"])(
  "a multipart of type %s is split into its parts",
  async (type) => {
    const raw = mail(
      `Content-Type: ${type}`,
      "",
      "--b",
      "",
      "hello",
      "--b",
      "Content-Type: a/b",
      "",
      "x",
      "--b--",
    );
    expect(await read(raw)).toEqual({ text: "hello", html: "", files: ["attachment-1.bin"] });
    expect(searchText(raw).body).toBe("hello");
  },
);

test.each([
  ["text/plain>", "<p>hello", ""],
  ["text/html>", "hello", "<p>hello"],
])("a mail of type %s is text or HTML, not a file", async (type, text, html) => {
  expect(await read(mail(`Content-Type: ${type}`, "", "<p>hello"))).toEqual({ text, html, files: [] });
});

test("a first line with a blank before its colon is a field, not the separator of an mbox", async () => {
  for (const line of ["From : Ann <a@x.test>", "FROM\t : Ann <a@x.test>"]) {
    const raw = mail(line, "Subject : x", "", "body");
    expect(readHeaders(raw).map(({ value }) => value)).toEqual(["Ann <a@x.test>", "x"]);
    expect((await read(raw)).text).toBe("body");
  }
  expect(readHeaders(mail("From a@x.test Mon: Jan 1", "Subject: x", "", "body"))).toHaveLength(1);
});

test("an unknown Content-Disposition does not hide the only text", async () => {
  for (const disposition of ["quoted-printable", "7bit", "form-data; name=a"]) {
    const raw = mail("Content-Type: text/plain", `Content-Disposition: ${disposition}`, "", "hello");
    expect(await read(raw)).toEqual({ text: "hello", html: "", files: [] });
    const part = ["--b", "Content-Type: text/plain", `Content-Disposition: ${disposition}`, ""];
    const two = mail(
      "Content-Type: multipart/mixed; boundary=b",
      "",
      ...part,
      "one",
      ...part,
      "two",
      "--b--",
    );
    expect(await read(two)).toMatchObject({ text: "one", files: ["attachment-1.txt"] });
  }
});

test("a second text with a Content-ID in a multipart/mixed is shown and searched", async () => {
  const part = (id: string) => ["--b", "Content-Type: text/plain", `Content-ID: <${id}@x>`, "", id];
  const raw = mail("Content-Type: multipart/mixed; boundary=b", "", ...part("one"), ...part("two"), "--b--");
  expect(await read(raw)).toEqual({ text: "one\ntwo", html: "", files: [] });
  expect(searchText(raw).body).toBe("one\ntwo");
});

test("text and HTML of one body side by side, as Email::Stuffer sends them, are not merged", async () => {
  const html = "<p>Hello <b>Ann</b>,</p><p>your order 4711 has shipped.</p>";
  const raw = mail(
    "Content-Type: multipart/mixed; boundary=b",
    "",
    ...["--b", "Content-Type: text/plain", "", "Hello Ann,\r\nyour order 4711 has been shipped."],
    ...["--b", "Content-Type: text/html", "", html],
    ...["--b", "Content-Type: application/pdf", "Content-Disposition: attachment", "", "x", "--b--"],
  );
  expect(await read(raw)).toEqual({
    text: "Hello Ann,\nyour order 4711 has been shipped.",
    html,
    files: ["attachment-1.pdf"],
  });
});

test("base64 continued after its padding with the checksum of PGP", async () => {
  const raw = mail("Content-Transfer-Encoding: base64", "", "aGVsbG8=", "=zH6Q");
  expect((await read(raw)).text).toBe("hello");
  expect(readStructure(raw).root.size).toBe(5);
});

describe("a subject of more than 2,000 characters is cut", () => {
  test("not inside an encoded word", () => {
    const words = Array.from({ length: 3000 }, () => "=?utf-8?Q?=C3=9F_?=").join("\r\n ");
    expect(scan(mail(`Subject: ${words}`, "", "")).subject).toBe("ß ".repeat(1000));
    expect(scan(mail(`Subject: =?utf-8?Q?${"=C3=9F".repeat(50_000)}?=`, "", "")).subject).toBe(
      "ß".repeat(2000),
    );
  });

  test("and only about as many words as needed are decoded", () => {
    const words = "=?utf-8?Q?=C3=9F?= ".repeat(50_000);
    expect(decodeHeaderText(words, 2000).length).toBeWithin(2001, 10_000);
  });

  test("not inside a surrogate pair", () => {
    const raw = Buffer.from(`Subject: x${"🎉".repeat(2000)}\r\n\r\n`);
    expect(scan(raw).subject).toBe(`x${"🎉".repeat(999)}`);
  });

  test("and a subject of 2,000 is whole", () => {
    expect(scan(mail(`Subject: ${"x".repeat(2000)}`, "", "")).subject).toHaveLength(2000);
  });
});

test.each([
  ["To: Pete(A wonderful \\) chap) <pete(his account)@silly.test(his host)>", ["Pete|pete@silly.test"]],
  ["From: John Doe <jdoe@machine(comment).  example>", ["John Doe|jdoe@machine.example"]],
  ["To: jdoe@test   . example", ["|jdoe@test.example"]],
  ["To: Ann < a@x.test >", ["Ann|a@x.test"]],
  ["To: Ann <a@x.test (home > work)>, bob@x.test", ["Ann|a@x.test", "|bob@x.test"]],
  ["To: Ann <(<)a@x.test>", ["Ann|a@x.test"]],
  [
    "To:A Group(Some people):Chris Jones <c@(Chris's host.)public.example>,joe@example.org; (the end of the group)",
    ["Chris Jones|c@public.example", "|joe@example.org"],
  ],
  ["Cc:(Empty list)(start)Undisclosed recipients  :(nobody(that I know))  ;", []],
])("comments and blanks are not part of an address: %s", async (field, people) => {
  expect(await peopleOf(field)).toEqual(people);
});

test.each(["x-uuencode", "uuencode", "x-uue", "uue", '"x-uuencode"'])(
  "a part in %s is decoded",
  async (encoding) => {
    const lines = ["Ann sent:", "begin 644 a.txt", "#0V%T", "+:&5L;&\\@=V]R;&0", "`", "end", "behind"];
    const raw = mail("Content-Type: a/b", `Content-Transfer-Encoding: ${encoding}`, "", ...lines);
    const { root } = readStructure(raw);
    const body = raw.subarray(root.start, root.end);
    for (const bytes of [1, 7, body.length]) {
      const chunks = Array.from({ length: Math.ceil(body.length / bytes) }, (_, at) =>
        body.subarray(at * bytes, (at + 1) * bytes),
      );
      const stream = decodePart(root.encoding, new Blob(chunks).stream());
      expect(await new Response(stream).text()).toBe("Cathello world");
    }
    expect(root.size).toBe("Cathello world".length);
  },
);

test("a line break in the name of a file becomes a space between words", async () => {
  const raw = mail("Content-Type: application/pdf; name*=utf-8''Invoice%201506%0D%0ABedrift.pdf", "", "x");
  expect((await read(raw)).files).toEqual(["Invoice 1506 Bedrift.pdf"]);
});
