// Checks what a mail says: text and HTML, subject, leftovers of templates, sizes, header fields.
import { formatSize } from "../lib/numbers.ts";
import { counted } from "../lib/text.ts";
import { findBrokenWord, hintsFor, htmlToText, readAddresses, readFieldText } from "../mime/index.ts";
import type { Check } from "../model/index.ts";
import { concluded, Findings, quoted, type Where } from "./finding.ts";
import { type Page, type PageElement, readPage } from "./html/page.ts";
import { type CheckedMail, type CheckInput, valuesOf } from "./mail.ts";
import { placeholdersIn } from "./placeholders.ts";

const KiB = 1024;
/** Gmail shows this much of the HTML and hides the rest behind a link. */
const GMAIL_CLIP_BYTES = 102 * KiB;
const MAX_IMAGE_BYTES = 1024 * KiB;
/** About as much as desktop clients show of a subject; phones show less. */
const MAX_SUBJECT_CHARS = 70;
/** RFC 5322, 2.1.1. */
const MAX_LINE_OCTETS = 998;
/** If text and HTML both have fewer words, they are not compared. */
const MIN_COMPARED_WORDS = 8;
const MIN_SHARED = 0.5;
const COMPARED_CHARS = 50_000;
const PREHEADER_CHARS = 90;
const MAX_AUTHORS = 100;
const MAX_FIELD_CHARS = 10_000;

const RULES = {
  error: {
    "body-empty": "Check that the template was rendered.",
    "subject-missing": "Give the mail a subject.",
    "subject-encoding": "Encode the subject by RFC 2047, each word whole and in a charset that exists.",
    placeholder: "Give the template a value for it, or a default.",
    "line-length":
      "Send the part as quoted-printable or base64: some servers cut or refuse such lines (RFC 5322, 2.1.1).",
    "header-duplicate": "Write this field once (RFC 5322, 3.6).",
    "from-missing": "Name the author in From (RFC 5322, 3.6.2).",
    "date-missing": "Write a Date field (RFC 5322, 3.6.1).",
    "date-invalid": "Write it like Tue, 17 Nov 2026 10:00:00 +0000.",
  },
  warning: {
    "text-missing":
      "Add a text/plain part in multipart/alternative: spam filters and text clients look for it.",
    "text-differs": "Make the text part from the same template as the HTML, so that both say the same.",
    "gmail-clip": "Shorten the HTML: remove unused CSS, comments and white space.",
    script: "Remove it: no mail client runs scripts or shows frames, and filters distrust such mails.",
    "image-weight": "Scale the images down, or link to them.",
    "header-8bit": "Encode the field by RFC 2047; servers without SMTPUTF8 may refuse or garble it.",
    "message-id-missing": "Write a Message-ID of your own: replies and duplicates are recognised by it.",
    "message-id-invalid": "Write it like <unique@your-domain>.",
    "unsubscribe-missing":
      "Add List-Unsubscribe with an https address and List-Unsubscribe-Post (RFC 8058). Gmail and Yahoo require both of bulk senders.",
    "unsubscribe-one-click":
      "Add an https address to List-Unsubscribe and the field List-Unsubscribe-Post: List-Unsubscribe=One-Click (RFC 8058).",
  },
  info: {
    "html-not-whole": "Make the HTML smaller, so that all of it is checked.",
    preheader: "Begin the HTML with a short sentence: lists of mails show it beside the subject.",
    "subject-long": `Put what matters into the first ${MAX_SUBJECT_CHARS} characters.`,
  },
};

type Found = Findings<typeof RULES>;

export function checkContent({ mail, raw }: Pick<CheckInput, "mail" | "raw">): Check {
  const found = new Findings(RULES);
  const page = readPage(mail.html);
  checkBodies(mail, page, found);
  checkSubject(mail, found);
  checkPlaceholders(mail, page, found);
  checkScripts(page, found);
  checkSizes(mail, found);
  checkLines(raw, found);
  checkFields(mail, found);
  checkUnsubscribe(mail, page, found);
  return concluded("content", found.list);
}

/** Web addresses are left out: the text must show them, the HTML need not. */
const wordsOf = (text: string) =>
  text
    .slice(0, COMPARED_CHARS)
    .toLowerCase()
    .replace(/https?:\S+/g, "")
    .match(/[\p{L}\p{N}]{2,}/gu) ?? [];

function shareOf(words: readonly string[], others: readonly string[]): number {
  const known = new Set(others);
  return words.filter((word) => known.has(word)).length / words.length;
}

function checkBodies({ html, text, subject }: CheckedMail, page: Page, found: Found): void {
  const shown = htmlToText(html, { links: false, maxChars: COMPARED_CHARS });
  const hasImages = page.elements.some(({ name }) => name === "img");
  if (text.trim() === "" && shown.trim() === "" && !hasImages) {
    found.add("body-empty", "The mail says nothing.");
    return;
  }
  if (html === "") return;
  if (text.trim() === "") found.add("text-missing", "The mail has HTML, but no text part.");
  else {
    const [inHtml, inText] = [wordsOf(shown), wordsOf(text)];
    const isTelling = Math.max(inHtml.length, inText.length) >= MIN_COMPARED_WORDS;
    const share = isTelling ? Math.min(shareOf(inHtml, inText), shareOf(inText, inHtml)) || 0 : 1;
    if (share < MIN_SHARED)
      found.add(
        "text-differs",
        `Text and HTML differ: they share ${Math.round(share * 100)} % of their words.`,
        { part: "text/plain" },
      );
  }
  const start = shown.replace(/\s+/g, " ").trim().slice(0, PREHEADER_CHARS);
  if (start.length < 10 || hintsFor(start, "").includes("view-online") || /^https?:/i.test(start))
    found.add("preheader", `The mail begins with ${quoted(start)}, which is what lists of mails show.`);
  else if (subject !== "" && start.startsWith(subject))
    found.add("preheader", "The mail begins with its subject: lists of mails show the same words twice.");
}

function checkSubject({ subject, fields }: CheckedMail, found: Found): void {
  const where = { header: "Subject" };
  if (subject.trim() === "") {
    found.add("subject-missing", "The mail has no subject.", where);
    return;
  }
  const { length } = [...subject];
  if (length > MAX_SUBJECT_CHARS) found.add("subject-long", `The subject has ${length} characters.`, where);
  const [written = ""] = valuesOf(fields, "subject");
  const [unread] = /\ufffd|=\?[\w*-]{1,40}\?[bq]\?.*/i.exec(subject) ?? [];
  const broken = written.includes("=?") ? (findBrokenWord(written) ?? unread) : undefined;
  if (broken !== undefined)
    found.add("subject-encoding", `Not every client can decode the subject: ${quoted(broken)}.`, where);
}

function checkPlaceholders({ fields, subject, text }: CheckedMail, page: Page, found: Found): void {
  const tell = (placeholder: string, place: Where) =>
    found.add("placeholder", `A placeholder was left: ${quoted(placeholder)}.`, place);
  for (const placeholder of placeholdersIn(subject)) tell(placeholder, { header: "Subject" });
  for (const name of ["From", "To", "Reply-To", "Cc"]) {
    const value = readFieldText(fields, name.toLowerCase(), MAX_FIELD_CHARS);
    for (const placeholder of placeholdersIn(value)) tell(placeholder, { header: name });
  }
  for (const placeholder of placeholdersIn(text)) tell(placeholder, { part: "text/plain" });
  for (const { text: shown, offset } of page.texts) {
    for (const placeholder of placeholdersIn(shown)) {
      const at = shown.indexOf(placeholder);
      tell(placeholder, page.place(offset + at));
    }
  }
  for (const { attributes, offset } of page.elements) {
    for (const name of ["alt", "title", "aria-label", "lang"]) {
      const [placeholder] = placeholdersIn(attributes[name] ?? "");
      if (placeholder) tell(placeholder, page.place(offset));
    }
  }
}

const isActive = ({ name, attributes }: PageElement) =>
  /^(?:iframe|embed|object)$/.test(name) ||
  // JSON-LD is not active: it is data, which Gmail reads.
  (name === "script" && !/^application\/ld\+json/i.test(attributes.type ?? "")) ||
  Object.keys(attributes).some((attribute) => /^on[a-z]+$/.test(attribute));

function checkScripts({ elements, isWhole, place }: Page, found: Found): void {
  if (!isWhole)
    found.add("html-not-whole", "The HTML is too long or nested too deep: its end is not checked.");
  const active = elements.filter(isActive);
  const what = `The HTML has ${counted(active.length, "element")} with a script, frame or event handler.`;
  if (active[0]) found.add("script", what, place(active[0].offset));
}

function checkSizes({ html, parts }: CheckedMail, found: Found): void {
  const htmlBytes = Buffer.byteLength(html);
  if (htmlBytes > GMAIL_CLIP_BYTES)
    found.add("gmail-clip", `The HTML has ${formatSize(htmlBytes)}; Gmail hides what is beyond 102 KiB.`, {
      part: "text/html",
    });
  const images = parts.filter(({ type }) => type.startsWith("image/"));
  const imageBytes = images.reduce((sum, { size }) => sum + size, 0);
  const largest = images.toSorted((left, right) => right.size - left.size)[0];
  if (largest && imageBytes > MAX_IMAGE_BYTES)
    found.add("image-weight", `The images in the mail have ${formatSize(imageBytes)}.`, {
      part: largest.name,
    });
}

function checkLines(raw: Uint8Array, found: Found): void {
  let [longest, lines] = [0, 0];
  for (let at = 0; at < raw.length; ) {
    const end = raw.indexOf(10, at);
    const next = end < 0 ? raw.length : end;
    const length = next - at - (raw[next - 1] === 13 ? 1 : 0);
    if (length > MAX_LINE_OCTETS) lines++;
    longest = Math.max(longest, length);
    at = next + 1;
  }
  if (lines > 0)
    found.add(
      "line-length",
      `${lines === 1 ? "A line has" : `${lines} lines have`} up to ${longest} octets; ${MAX_LINE_OCTETS} are allowed.`,
    );
}

const ONCE = "from sender reply-to to cc bcc message-id in-reply-to references subject date".split(" ");
const REQUIRED = [
  ["From", "from-missing"],
  ["Date", "date-missing"],
  ["Message-ID", "message-id-missing"],
] as const;
const DATE =
  /^\s*(?:([a-z]{3}),)?\s*(\d{1,2})\s+([a-z]{3})\s+(\d{4})\s+(?:[01]?\d|2[0-3]):[0-5]\d(?::(?:[0-5]\d|60))?\s+(?:[+-]\d{2}[0-5]\d|[a-z]{1,5})\s*(?:\([^()]*\))?\s*$/i;

/** The day must exist, and the weekday must be right. */
function isDate(text: string): boolean {
  const [, weekday = "", day = "", month = "", year = ""] = DATE.exec(text) ?? [];
  const real = new Date(`${day} ${month} ${year} UTC`).toUTCString().toLowerCase();
  const written = `${day.padStart(2, "0")} ${month} ${year}`.toLowerCase();
  return real.startsWith(weekday.toLowerCase()) && real.includes(` ${written} `);
}

function checkFields({ fields }: CheckedMail, found: Found): void {
  for (const { name, value } of fields) {
    if (/[\x80-\xff]/.test(value))
      found.add("header-8bit", `${quoted(name)} has octets beyond ASCII.`, { header: name });
  }
  for (const name of ONCE) {
    const [first, ...others] = fields.filter(({ key }) => key === name);
    if (first && others.length > 0)
      found.add("header-duplicate", `${first.name} is there ${others.length + 1} times.`, {
        header: first.name,
      });
  }
  for (const [header, missing] of REQUIRED) {
    if (valuesOf(fields, header.toLowerCase()).length === 0)
      found.add(missing, `The mail has no ${header} field.`, { header });
  }
  const [from] = valuesOf(fields, "from");
  if (from !== undefined && !readAddresses(from, MAX_AUTHORS).some(({ address }) => /.@./.test(address)))
    found.add("from-missing", `From has no address: ${quoted(from)}.`, { header: "From" });
  const [date] = valuesOf(fields, "date");
  if (date !== undefined && !isDate(date.slice(0, 200)))
    found.add(
      "date-invalid",
      `The date ${quoted(date)} does not exist, or is not written as RFC 5322 asks.`,
      {
        header: "Date",
      },
    );
  const [id] = valuesOf(fields, "message-id");
  if (id !== undefined && !/^<[^<>@\s]{1,500}@[^<>@\s]{1,500}>$/.test(id))
    found.add("message-id-invalid", `The Message-ID ${quoted(id)} is not of the form <id@domain>.`, {
      header: "Message-ID",
    });
}

function isBulk({ fields }: CheckedMail, page: Page): boolean {
  const isList = fields.some(
    ({ key, value }) => key === "list-id" || (key === "precedence" && /bulk|list/i.test(value)),
  );
  const isUnsubscribe = (text: string, url: string) => hintsFor(text, url).includes("unsubscribe");
  return (
    isList ||
    page.elements.some(
      ({ name, text, attributes }) => name === "a" && isUnsubscribe(text, attributes.href ?? ""),
    )
  );
}

function checkUnsubscribe(mail: CheckedMail, page: Page, found: Found): void {
  const [unsubscribe] = valuesOf(mail.fields, "list-unsubscribe");
  const [post = ""] = valuesOf(mail.fields, "list-unsubscribe-post");
  const where = { header: "List-Unsubscribe" };
  if (unsubscribe === undefined) {
    if (isBulk(mail, page))
      found.add(
        "unsubscribe-missing",
        "The mail looks like a newsletter and has no List-Unsubscribe field.",
        where,
      );
    return;
  }
  const isOneClick = /^\s*List-Unsubscribe=One-Click\s*$/i.test(post);
  if (!/<\s*https:/i.test(unsubscribe) || !isOneClick)
    found.add("unsubscribe-one-click", "Readers cannot unsubscribe with one click.", where);
}
