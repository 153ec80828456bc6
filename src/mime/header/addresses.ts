// Reads address lists (RFC 5322 section 3.4) in linear time, even if they are not quite valid.
import type { MessageHeader } from "../../model/index.ts";
import { MAX_MESSAGE_HEADER_BYTES } from "../part-walker.ts";
import { splitHeaderBlock } from "./fields.ts";
import { stripComments } from "./params.ts";
import { decodeHeaderText, decodeOctets, ENCODED_WORD, ENCODED_WORDS, trimOctets } from "./text.ts";

type Address = NonNullable<MessageHeader["addresses"]>[number];

export const MAX_ADDRESSES_CHARS = 16 * 1024;
/** The most addresses of one field that are listed with the headers. */
const MAX_FIELD_ADDRESSES = 10_000;
const LITERAL = /\[[^[\]<>,;]*\]/y;
/** RFC 2047 section 5 forbids commas and brackets in an encoded word of a name, but some senders write them. */
const WORD = new RegExp(ENCODED_WORD, "y");
/** A source route (RFC 5322 section 4.4), or `mailto:`. */
const BEFORE_ADDRESS = /^[< ]*(?:(?:@[^:]*|mailto):)?/i;

class AddressReader {
  readonly #octets: string;
  readonly #max: number;
  readonly #isDecoded: boolean;
  readonly #addresses: Address[] = [];
  #phrase = "";
  /** The phrase without white space, in case it is an address without angle brackets. */
  #bare = "";
  #comment = "";
  #route: string | null = null;
  /** How many characters of the phrase were before the last angle brackets. */
  #named = 0;
  /** Groups end with a semicolon, so a colon after the last semicolon may be part of a name. */
  readonly #lastSemicolon: number;
  /** After an unclosed quote all further quotes are skipped. After an unclosed comment "(" is plain text. */
  #isOpen = { quote: false, comment: false };

  /** `isDecoded`: the octets come from encoded words, so they are not searched for encoded addresses again. */
  constructor(octets: string, max: number, isDecoded = false) {
    this.#octets = octets;
    this.#max = max;
    this.#isDecoded = isDecoded;
    this.#lastSemicolon = octets.lastIndexOf(";");
  }

  read(): Address[] {
    const text = this.#octets;
    for (let at = 0; at < text.length && this.#addresses.length < this.#max; ) {
      at = this.#step(text, at);
    }
    this.#end();
    return this.#addresses.slice(0, this.#max);
  }

  /** Reads the token at `at` and returns where to continue. */
  #step(text: string, at: number): number {
    switch (text[at]) {
      case '"':
        return this.#isOpen.quote ? at + 1 : this.#quoted(text, at);
      case "(":
        return this.#isOpen.comment ? this.#words(text, at) : this.#inComment(text, at);
      case "<":
        return this.#inBrackets(text, at);
      case ",":
      case ";":
        if (text[at] === "," && this.#isWithinName(text, at)) this.#phrase += ",";
        else this.#end();
        return at + 1;
      case ":":
        if (at > this.#lastSemicolon && endOf(REST_OF_NAME, text, at) !== undefined)
          return this.#words(text, at);
        // The name of a group is not the name of its first member.
        this.#phrase = "";
        this.#bare = "";
        return at + 1;
      default:
        return this.#words(text, at);
    }
  }

  #words(text: string, at: number): number {
    let end = literalEnd(text, at) ?? endOf(WORD, text, at) ?? at + 1;
    while (end < text.length && !'"(<,;:[='.includes(text[end] as string)) end++;
    this.#phrase += text.slice(at, end);
    this.#bare += withoutSpace(text.slice(at, end));
    return end;
  }

  #isWithinName(text: string, at: number): boolean {
    const isOver = this.#route !== null || this.#comment !== "" || !PERSON.test(decodeOctets(this.#phrase));
    const isFollowed = !isOver && endOf(NAME_AFTER_COMMA, text, at + 1) !== undefined;
    return isFollowed && !decodeHeaderText(this.#phrase).includes("@");
  }

  #inBrackets(text: string, at: number): number {
    let end = endOf(BRACKET, text, at) as number;
    if (text[end] === "<" && !text.slice(at, end).includes("@")) {
      this.#phrase += text.slice(at, end);
      return end;
    }
    if (text[end] !== ">") end = endOf(UNCLOSED, text, at) as number;
    const route = bareRoute(text.slice(at + 1, end).replace(BEFORE_ADDRESS, ""));
    if (this.#route !== null && isAnother(this.#route, route)) {
      // The comma before this address is missing. The words between the two addresses are the name of this address.
      const name = this.#phrase.slice(this.#named);
      this.#phrase = this.#phrase.slice(0, this.#named);
      this.#end();
      this.#phrase = name;
    }
    this.#named = this.#phrase.length;
    this.#route = route;
    while (text[end] === ">") end++;
    return end;
  }

  #quoted(text: string, at: number): number {
    let end = at + 1;
    while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
    if (end >= text.length && BRACKETED.test(text.slice(at))) {
      this.#isOpen.quote = true;
      return at + 1;
    }
    const said = unescaped(text.slice(at + 1, end));
    this.#phrase += said;
    // A quoted local part keeps its quotes (RFC 5322 section 3.4.1).
    this.#bare += text[end + 1] === "@" ? text.slice(at, end + 1) : withoutSpace(said);
    return end + 1;
  }

  #inComment(text: string, at: number): number {
    let depth = 0;
    let end = at;
    for (; end < text.length; end++) {
      if (text[end] === "\\") end++;
      else if (text[end] === "(") depth++;
      else if (text[end] === ")" && --depth === 0) break;
    }
    if (end >= text.length && BRACKETED.test(text.slice(at))) {
      this.#isOpen.comment = true;
      return this.#words(text, at);
    }
    this.#comment = unescaped(text.slice(at + 1, end));
    return end + 1;
  }

  /** Addresses without brackets: an address with its name, or several addresses with spaces between them. */
  #unbracketed(phrase: string): Address[] {
    const isQuoted = this.#bare.includes('"');
    const words = isQuoted ? [] : phrase.replace(AROUND_DOT, ".").split(WHITE);
    const addresses = words.flatMap((word) => ADDRESS.exec(word)?.[1] ?? []);
    const name = words.filter((word) => !ADDRESS.test(word)).join(" ");
    if (addresses.length === 1) return [{ name: name || this.#comment, address: addresses[0] as string }];
    if (addresses.length > 1) return addresses.map((address) => ({ name: this.#comment, address }));
    if (!isQuoted && ADDRESS.test(this.#comment)) return [{ name: phrase, address: this.#comment }];
    // A comment alone is not listed, unless it is an address.
    if (phrase === "") return [];
    if (!isName(decodeHeaderText(phrase))) return [{ name: this.#comment, address: this.#bare }];
    return [{ name: phrase, address: "" }];
  }

  #found(): Address[] {
    const phrase = trimOctets(this.#phrase);
    if (this.#route === null) return this.#unbracketed(phrase);
    return [{ name: phrase || this.#comment, address: trimOctets(this.#route) }];
  }

  /** Some senders encode a whole field, including its addresses. */
  #encoded(): Address[] {
    if (this.#isDecoded || this.#route !== null || !this.#phrase.includes("=?")) return [];
    const text = decodeHeaderText(this.#phrase);
    if (!HAS_ADDRESS.test(text)) return [];
    // Encoded words before an address that is not encoded are its name.
    const words = decodeHeaderText(this.#phrase.match(ENCODED_WORDS)?.join(" ") ?? "");
    const isName = !HAS_ADDRESS.test(words) || !/[,;<]/.test(words);
    if (isName && HAS_ADDRESS.test(this.#phrase.replace(ENCODED_WORDS, " "))) return [];
    return new AddressReader(Buffer.from(text).toString("latin1"), this.#max, true).read();
  }

  #end(): void {
    const encoded = this.#encoded();
    this.#addresses.push(...encoded);
    for (const { name, address } of encoded.length > 0 ? [] : this.#found()) {
      if (address === "" && name === "") continue;
      this.#addresses.push({ name: decodeHeaderText(name).trim(), address: decodeHeaderText(address) });
    }
    this.#phrase = "";
    this.#bare = "";
    this.#comment = "";
    this.#route = null;
  }
}

/** The rest of a name with a comma but without quotes: "Doe, John <john@x.test>". */
const NAME_AFTER_COMMA = /[^":;<>@]{2,100}(?=<[^<>@ \t\r\n]+@)/y;
/** Text that may begin a name with a comma. A bare user name such as "root" does not match. */
const PERSON = /\p{Lu}|[^\x00-\x7f]|=\?|\S\s+\S/u;
const REST_OF_NAME = /:(?!\s*<)[^",;<>@]{1,100}(?=<[^<>\s]+@)/y;
const BRACKETED = /<[^<>\s]+@/;
const HAS_ADDRESS = /[^<>@\s]@[^<>@\s]/;
/** From one or several opening brackets up to the next bracket outside a comment. */
const BRACKET = /[< ]*(?:\([^()]*\)|[^<>])*/y;
const UNCLOSED = /[< ]*[^\s<,;]*/y;

/**
 * False if `route` repeats `before`, or if only `route` is an address: then `before` is a word of
 * the name, as in `Ann <Sales> <ann@x.test>`.
 */
const isAnother = (before: string, route: string) =>
  before !== route && (before.includes("@") || !route.includes("@"));

/** Either bracket may be missing, or both. */
const ADDRESS = /^<?([^ @<>]+@[^ @<>]+)>?$/;

const isName = (phrase: string) => /\s/.test(phrase) && !phrase.includes("@");

/** White space in octets. Not 0xA0: it is the last octet of "à" in UTF-8. */
const WHITE = /[\t-\r ]+/g;

/** RFC 5322 section 4.4 allows white space around the dots of an address. */
const AROUND_DOT = /(?<![\t-\r ])[\t-\r ]+\.[\t-\r ]*(?=\S)/g;

const withoutSpace = (text: string) => text.replace(WHITE, "");

/** Without comments and white space (RFC 5322 section 3.2.2), unless it has quotes or no "@". */
const bareRoute = (route: string) =>
  route.includes('"') || !route.includes("@") ? route : withoutSpace(stripComments(route));

const unescaped = (text: string) => text.replace(/\\(.)/gs, "$1");

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** The end of an address literal such as `@[IPv6:::1]` (RFC 5321 section 4.1.3). Its colons do not name a group. */
const literalEnd = (text: string, at: number) =>
  text[at - 1] === "@" ? endOf(LITERAL, text, at) : undefined;

export const readAddresses = (octets: string, max: number, maxChars = MAX_ADDRESSES_CHARS): Address[] =>
  new AddressReader(octets.slice(0, maxChars).replace(ENCODED_COMMA, ","), max).read();

/** Fields that hold addresses (RFC 5322 sections 3.6.2, 3.6.3 and 3.6.6). */
const ORIGINAL = ["from", "sender", "reply-to", "to", "cc", "bcc"];
const ADDRESS_FIELDS = new Set([...ORIGINAL, ...ORIGINAL.map((name) => `resent-${name}`)]);

/**
 * Addresses are read before decoding, because an encoded comma is part of a name, and an encoded address in a name is
 * not a recipient.
 */
export const decodeAddressedHeaders = (block: string): MessageHeader[] =>
  splitHeaderBlock(block).map(({ name, key, value }) => {
    const header = { name, value: decodeHeaderText(value) };
    if (!ADDRESS_FIELDS.has(key)) return header;
    return { ...header, addresses: readAddresses(value, MAX_FIELD_ADDRESSES, MAX_MESSAGE_HEADER_BYTES) };
  });

/**
 * When Python's email package folds a long list, it may encode the comma between two addresses, which RFC 2047
 * section 5 does not allow. If it stayed encoded, the first address would become a part of the second one's name.
 */
const ENCODED_COMMA = / ?=\?utf-8\?q\?=2C\?=/gi;
