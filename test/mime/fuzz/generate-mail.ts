// Mails as senders make them, and the same mails damaged. Byte strings, with one character for each octet.
import type { Random } from "../../support/random.ts";

const WORDS = [
  "hello",
  "invoice",
  "Grüße",
  "日本語",
  "Привет",
  "100%",
  "a=b",
  "--",
  "x;y",
  '"quoted"',
  "naïve",
  "?=",
];
const TEXTS = [
  "text/plain",
  "text/html",
  "TEXT/Plain",
  "text/plain; charset=utf-8",
  "text/html; charset=iso-8859-1",
  "message/delivery-status",
  "text/rfc822-headers",
];
const FILES = [
  "image/png",
  "application/pdf",
  "application/octet-stream",
  "text/calendar; method=REQUEST",
  "message/rfc822",
  "text/csv",
];

const utf8 = (text: string) => Buffer.from(text).toString("latin1");

const sentence = (random: Random) =>
  Array.from({ length: 1 + random.below(6) }, () => random.pick(WORDS)).join(" ");

function encodedWord(random: Random, text: string): string {
  const bytes = Buffer.from(text);
  if (random.chance(0.5)) return `=?UTF-8?B?${bytes.toString("base64")}?=`;
  const q = Array.from(bytes, (byte) =>
    /[A-Za-z0-9]/.test(String.fromCharCode(byte))
      ? String.fromCharCode(byte)
      : `=${byte.toString(16).padStart(2, "0").toUpperCase()}`,
  );
  return `=?utf-8?${random.pick(["Q", "q"])}?${q.join("")}?=`;
}

/** Splits a text into two encoded words, perhaps inside a character, as many mailers do. */
function splitWords(random: Random, text: string): string {
  const bytes = Buffer.from(text);
  const cut = random.below(bytes.length);
  const word = (part: Buffer) => `=?utf-8?B?${part.toString("base64")}?=`;
  return word(bytes.subarray(0, cut)) + random.pick([" ", "\r\n ", "", "\r\n\t"]) + word(bytes.subarray(cut));
}

function subject(random: Random): string {
  const text = sentence(random);
  switch (random.below(6)) {
    case 0:
      return utf8(text);
    case 1:
      return encodedWord(random, text);
    case 2:
      return splitWords(random, text);
    case 3:
      return `${encodedWord(random, text)} ${encodedWord(random, sentence(random))}`;
    case 4:
      return `Re: ${encodedWord(random, text)}\r\n tail`;
    default:
      return utf8(sentence(random)).replace(/ /, "\r\n ");
  }
}

function filename(random: Random): string {
  return random.pick([
    "; filename=a.bin",
    '; filename="a b.bin"',
    "; filename*=utf-8''%e2%82%ac.bin",
    '; filename*0="a"; filename*1="b.bin"',
    '; filename="=?utf-8?B?w6k=?=.bin"',
    "",
  ]);
}

function encode(random: Random, body: string): { header: string; body: string } {
  const encoding = random.pick(["7bit", "8bit", "base64", "quoted-printable", "", "BASE64"]);
  const bytes = Buffer.from(body);
  const lower = encoding.toLowerCase();
  const encoded =
    lower === "base64"
      ? bytes.toString("base64").replace(/.{60}/g, "$&\r\n")
      : lower === "quoted-printable"
        ? bytes
            .toString("latin1")
            .replace(
              /[=\x80-\xff]/g,
              (char) => `=${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
            )
        : bytes.toString("latin1");
  return { header: encoding === "" ? "" : `Content-Transfer-Encoding: ${encoding}\r\n`, body: encoded };
}

function leaf(random: Random): string {
  const isFile = random.chance(0.4);
  const { header, body } = encode(
    random,
    Array.from({ length: random.below(5) }, () => sentence(random)).join("\r\n"),
  );
  const type = random.chance(0.1) ? "" : `Content-Type: ${random.pick(isFile ? FILES : TEXTS)}\r\n`;
  const disposition = isFile
    ? `Content-Disposition: attachment${filename(random)}\r\n`
    : random.pick(["", "", "Content-Disposition: inline\r\n"]);
  const contentId = random.chance(0.2) ? "Content-ID: <part@x.test>\r\n" : "";
  return `${type}${disposition}${header}${contentId}\r\n${body}`;
}

function multipart(random: Random, depth: number): string {
  const boundary = random.pick(["b", "=_x", "----=_Part_1", "0000"]) + depth;
  const subtype = random.pick(["mixed", "alternative", "related", "report; report-type=x", "signed"]);
  const parts = Array.from({ length: random.below(5) }, () => part(random, depth + 1));
  const preamble = random.chance(0.3) ? "preamble\r\n" : "";
  const end = random.chance(0.95) ? `--${boundary}--\r\n` : "";
  const epilogue = random.chance(0.2) ? "epilogue\r\n" : "";
  const quoted = random.chance(0.5) ? `"${boundary}"` : boundary;
  return (
    `Content-Type: multipart/${subtype.includes(";") ? subtype : `${subtype}`}; boundary=${quoted}\r\n\r\n` +
    `${preamble}${parts.map((each) => `--${boundary}\r\n${each}\r\n`).join("")}${end}${epilogue}`
  );
}

const part = (random: Random, depth: number): string =>
  depth < 4 && random.chance(0.35) ? multipart(random, depth) : leaf(random);

export function generateMail(random: Random): Buffer {
  const head = ["From: a@x.test", `Subject: ${subject(random)}`, "To: b@x.test"].filter(() =>
    random.chance(0.95),
  );
  const text = `${head.join("\r\n")}\r\n${random.chance(0.7) ? multipart(random, 0) : leaf(random)}`;
  return Buffer.from(random.chance(0.2) ? text.replaceAll("\r\n", "\n") : text, "latin1");
}

const SPLINTERS = [
  "\r\n",
  "\n",
  "--",
  "--b0",
  "--b0--\r\n",
  ";",
  '"',
  "=?",
  "?=",
  ":",
  "\0",
  "\xff",
  " ",
  "(",
  "Content-Type: ",
];

/** Removes, doubles or reverses a few bytes, or inserts a splinter, up to four times. */
export function damageMail(random: Random, mail: Buffer): Buffer {
  let bytes = mail;
  for (let times = 1 + random.below(4); times > 0; times--) {
    const from = random.below(bytes.length + 1);
    const to = Math.min(bytes.length, from + random.below(40));
    const [head, cut, tail] = [bytes.subarray(0, from), bytes.subarray(from, to), bytes.subarray(to)];
    switch (random.below(4)) {
      case 0:
        bytes = Buffer.concat([head, tail]);
        break;
      case 1:
        bytes = Buffer.concat([head, cut, cut, tail]);
        break;
      case 2:
        bytes = Buffer.concat([head, Buffer.from(random.pick(SPLINTERS), "latin1"), cut, tail]);
        break;
      default:
        bytes = Buffer.concat([head, Buffer.from(cut).reverse(), tail]);
    }
  }
  return bytes;
}
