// Reads an mbox piece by piece and returns one mail after the other, without the separators and the empty
// lines before them. A separator is a "From " line with a time, at the file's start or after an empty line.
// Before a header field, a bare "From " is a separator, too, and a "From " line with an address and a date
// needs no empty line before it.

/** mboxo and mboxrd put ">" before a line starting with "From ", mboxrd also before ">From " and ">>From ". */
export type MboxQuoting = "rd" | "o";

const LF = 0x0a;
const SEPARATOR = /^From \S.*\d\d?:\d\d/;
const BARE = /^(?:\xef\xbb\xbf)?From [ \t]*\r?\n$/;
const DATED = /^From \S+ +[A-Z][a-z]{2} +[A-Z][a-z]{2} +\d\d? +\d\d:\d\d.* \d{4}/;
const FIELD = /^[a-z][!-9;-~]*[ \t]*:(?!\/\/)/i;
/** Without an empty line before it, a dated line is a separator only if one of these follows: text may have colons. */
const USUAL_FIELD =
  /^(?:From|To|Cc|Date|Subject|Sender|Reply-To|Received|Return-Path|Delivered-To|Message-ID|In-Reply-To|References|Bcc|Envelope-To|Delivery-Date|Received-SPF|User-Agent|MIME-Version|Authentication-Results|DKIM-Signature|Status|(?:ARC|Content|List|Resent|X)-[\w-]+)[ \t]*:/i;
/** A byte order mark may come before the first separator. */
export const FIRST_SEPARATOR = /^(?:\xef\xbb\xbf)?From (?:\S.*\d\d?:\d\d|[ \t]*\r?\n[!-9;-~]+[ \t]*:)/;
const QUOTED: Readonly<Record<MboxQuoting, RegExp>> = { rd: /^>+From /, o: /^>From / };
/** A longer line may be handled in pieces, to save memory. */
const MAX_LINE_BYTES = 64 * 1024;
/** Enough of a line to recognize a separator. */
const LOOK_BYTES = 512;

export class MboxReader {
  readonly #quoted: RegExp;
  #rest: Buffer = Buffer.alloc(0);
  #mail: Buffer[] | null = null;
  #emptyLine: Buffer | null = null;
  /** A separator if a header field follows, otherwise part of the mail. */
  #possibleSeparator: Buffer | null = null;
  #isStart = true;
  #isInsideLine = false;

  constructor(quoting: MboxQuoting) {
    this.#quoted = QUOTED[quoting];
  }

  /** Returns the mails that this piece completes. */
  push(chunk: Uint8Array): Buffer[] {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : Buffer.from(chunk);
    const done: Buffer[] = [];
    let at = 0;
    for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, at)) {
      this.#line(bytes.subarray(at, end + 1), done);
      at = end + 1;
    }
    if (bytes.length - at > MAX_LINE_BYTES) {
      this.#line(bytes.subarray(at), done);
      this.#isInsideLine = true;
      at = bytes.length;
    }
    this.#rest = bytes.subarray(at);
    return done;
  }

  /** Returns the last mail, if there is one. */
  finish(): Buffer[] {
    const done: Buffer[] = [];
    if (this.#rest.length > 0) this.#line(this.#rest, done);
    this.#rest = Buffer.alloc(0);
    this.#settleSeparator("", done);
    this.#finishMail(done);
    return done;
  }

  #line(line: Buffer, done: Buffer[]): void {
    if (this.#isInsideLine) {
      this.#isInsideLine = line.at(-1) !== LF;
      this.#mail?.push(line);
      return;
    }
    const look = line.toString("latin1", 0, Math.min(line.length, LOOK_BYTES));
    this.#settleSeparator(look, done);
    const mayStart = this.#isStart || this.#emptyLine !== null;
    const separator = this.#isStart ? FIRST_SEPARATOR : SEPARATOR;
    this.#isStart = false;
    if (mayStart && separator.test(look)) {
      this.#beginMail(done);
      return;
    }
    if (mayStart ? BARE.test(look) : this.#mail?.length && DATED.test(look)) {
      this.#possibleSeparator = line;
      return;
    }
    if (this.#emptyLine) this.#mail?.push(this.#emptyLine);
    this.#emptyLine = null;
    if (look === "\n" || look === "\r\n") this.#emptyLine = line;
    else this.#mail?.push(this.#quoted.test(look) ? line.subarray(1) : line);
  }

  #settleSeparator(next: string, done: Buffer[]): void {
    const line = this.#possibleSeparator;
    if (line === null) return;
    this.#possibleSeparator = null;
    const isDated = DATED.test(line.toString("latin1", 0, LOOK_BYTES));
    if ((isDated ? USUAL_FIELD : FIELD).test(next)) {
      this.#beginMail(done);
      return;
    }
    if (this.#emptyLine) this.#mail?.push(this.#emptyLine);
    this.#emptyLine = null;
    this.#mail?.push(line);
  }

  #beginMail(done: Buffer[]): void {
    this.#finishMail(done);
    this.#mail = [];
  }

  #finishMail(done: Buffer[]): void {
    if (this.#mail) done.push(Buffer.concat(this.#mail));
    this.#mail = null;
    this.#emptyLine = null;
  }
}
