// The mails that are sent, the same on every machine and in every run. Mails of the kind "2 KB"
// contain only filler. Mails of all other kinds contain prose from an invented vocabulary, and the
// word `number<n>`, so that a search can find each mail.
import { seeded } from "../../test/support/random.ts";

export type MailKind = "2 KB" | "2 KB prose" | "5 KB multipart" | "200 KB attachment" | "small";

/**
 * Each word is in half of the small mails. There are so many words that, with a search for each word in turn,
 * no search finds its total in Mailkeep's cache.
 */
export const COMMON_WORDS =
  "account address basket bill coupon customer delivery discount gift invoice letter order parcel password payment price receipt refund return ticket".split(
    " ",
  );
/** Every tenth small mail has an attachment. */
const ATTACHMENT_EVERY = 10;

const SYLLABLES = "ba de fi go lu ma ne pi ro su ta ve wi xo ya ze kra ple stri cho".split(" ");
const VOCABULARY_SIZE = 4000;
const LINE_CHARS = 72;
const BASE64_LINE_CHARS = 76;

const vocabulary = Array.from({ length: VOCABULARY_SIZE }, (_, at) => {
  const { length } = SYLLABLES;
  const digits = [at % length, Math.floor(at / length) % length, Math.floor(at / length ** 2) % length];
  return digits.map((digit) => SYLLABLES[digit]).join("");
});

/** Lines of words. Early words of the vocabulary are frequent and late ones rare, as in any language. */
function prose(bytes: number, next: (limit: number) => number): string {
  const lines: string[] = [];
  let line = "";
  for (let written = 0; written < bytes; ) {
    const word =
      vocabulary[Math.min(next(VOCABULARY_SIZE), next(VOCABULARY_SIZE), next(VOCABULARY_SIZE))] ?? "";
    line += line === "" ? word : ` ${word}`;
    if (line.length < LINE_CHARS) continue;
    lines.push(line);
    written += line.length + 2;
    line = "";
  }
  return lines.join("\r\n");
}

function base64(bytes: number, next: (limit: number) => number): string {
  const content = Uint8Array.from({ length: bytes }, () => next(256)).toBase64();
  return (content.match(new RegExp(`.{1,${BASE64_LINE_CHARS}}`, "g")) ?? []).join("\r\n");
}

const head = (subject: string, contentType: string) =>
  [
    "From: Shop <shop@example.com>",
    "To: Reader <reader@example.com>",
    `Subject: ${subject}`,
    "Date: Sun, 01 Nov 2026 10:00:00 +0000",
    "MIME-Version: 1.0",
    `Content-Type: ${contentType}`,
    "",
    "",
  ].join("\r\n");

const part = (boundary: string, headers: string, body: string) =>
  `--${boundary}\r\n${headers}\r\n\r\n${body}\r\n`;
const TEXT = "Content-Type: text/plain; charset=utf-8";
const HTML = "Content-Type: text/html; charset=utf-8";
const PDF = [
  'Content-Type: application/pdf; name="report.pdf"',
  "Content-Transfer-Encoding: base64",
  'Content-Disposition: attachment; filename="report.pdf"',
].join("\r\n");

const plainMail = (subject: string, text: string) =>
  `${head(subject, "text/plain; charset=utf-8")}${text}\r\n`;

function alternativeMail(subject: string, text: string): string {
  const paragraphs = text.split("\r\n").map((line) => `<p>${line}</p>`);
  const html = `<!doctype html><html><body>\r\n${paragraphs.join("\r\n")}\r\n</body></html>`;
  const parts = part("alt", TEXT, text) + part("alt", HTML, html);
  return `${head(subject, 'multipart/alternative; boundary="alt"')}${parts}--alt--\r\n`;
}

function attachmentMail(subject: string, text: string, attachment: string): string {
  const parts = part("mix", TEXT, text) + part("mix", PDF, attachment);
  return `${head(subject, 'multipart/mixed; boundary="mix"')}${parts}--mix--\r\n`;
}

function smallMail(number: number, texts: readonly string[], attachment: string): string {
  const words = COMMON_WORDS.filter((_, at) => (at + number) % 2 === 0);
  const text = `number${number}\r\n${words.join(" ")}\r\n${texts[number % texts.length]}`;
  const subject = `Order ${number}`;
  return number % ATTACHMENT_EVERY === 0
    ? attachmentMail(subject, text, attachment)
    : plainMail(subject, text);
}

type Build = (number: number) => string;

/** For each kind, the outer function makes texts and attachments once, because that takes long. */
const KINDS: Readonly<Record<MailKind, (next: (limit: number) => number) => Build>> = {
  "2 KB": () => {
    const filler = `${"X".repeat(78)}\r\n`.repeat(23);
    return (number) => plainMail(`Load ${number}`, filler);
  },
  "2 KB prose": (next) => {
    const texts = Array.from({ length: 200 }, () => prose(1800, next));
    return (number) => plainMail(`Letter ${number}`, `number${number}\r\n${texts[number % texts.length]}`);
  },
  "5 KB multipart": (next) => {
    const texts = Array.from({ length: 100 }, () => prose(2100, next));
    return (number) =>
      alternativeMail(`News ${number}`, `number${number}\r\n${texts[number % texts.length]}`);
  },
  "200 KB attachment": (next) => {
    const text = prose(1000, next);
    const attachment = base64(146_000, next);
    return (number) => attachmentMail(`Report ${number}`, `number${number}\r\n${text}`, attachment);
  },
  small: (next) => {
    const texts = Array.from({ length: 500 }, () => prose(400, next));
    const attachment = base64(300, next);
    return (number) => smallMail(number, texts, attachment);
  },
};

export function mailsOf(kind: MailKind): (number: number) => Buffer {
  const build = KINDS[kind](seeded(1));
  return (number) => Buffer.from(build(number));
}
