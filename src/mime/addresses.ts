// Address lists of From and To (RFC 5322 section 3.4), read forgivingly and in linear time:
// display names, comments, quoted strings, groups, encoded words.
import { ENCODED_WORD } from "./encoded-words.ts";
import { trimOctets } from "./header-block.ts";
import { decodeHeaderText } from "./header-text.ts";
import { MAX_ADDRESSES_CHARS } from "./limits.ts";

export interface Address {
  readonly name: string;
  readonly address: string;
}

/** Ends before an address in brackets. Long enough for a name. */
const REST_OF_NAME = /[^"();:<>@]{2,100}(?=<[^<>@ ]+@)/y;
const LITERAL = /\[[^[\]<>,;]*\]/y;
/** Some senders leave characters in it that mean something outside (RFC 2047 section 5). */
const WORD = new RegExp(ENCODED_WORD, "y");
/** A source route (RFC 5322 section 4.4), or what makes a link of an address. */
const BEFORE_ADDRESS = /^[< ]*(?:(?:@[^:]*|mailto):)?/i;

class AddressReader {
  readonly #octets: string;
  readonly #max: number;
  readonly #addresses: Address[] = [];
  #phrase = "";
  /** The same as an address that stands without angle brackets. */
  #bare = "";
  #comment = "";
  #route: string | null = null;
  /** How much of the phrase stands before the route. */
  #named = 0;

  constructor(octets: string, max: number) {
    this.#octets = octets;
    this.#max = max;
  }

  read(): Address[] {
    const text = this.#octets;
    for (let at = 0; at < text.length && this.#addresses.length < this.#max; ) {
      at = this.#step(text, at);
    }
    this.#end();
    return this.#addresses.slice(0, this.#max);
  }

  /** Takes in what stands at `at` and answers where to go on. */
  #step(text: string, at: number): number {
    switch (text[at]) {
      case '"':
        return this.#quoted(text, at);
      case "(":
        return this.#inComment(text, at);
      case "<":
        return this.#inBrackets(text, at);
      case ",":
      case ";":
        if (text[at] === "," && this.#isWithinName(text, at)) this.#phrase += ",";
        else this.#end();
        return at + 1;
      case ":":
        // The name of a group says nothing of its members.
        this.#phrase = "";
        this.#bare = "";
        return at + 1;
      default: {
        let end = literalEnd(text, at) ?? endOf(WORD, text, at) ?? at + 1;
        while (end < text.length && !'"(<,;:[='.includes(text[end] as string)) end++;
        this.#phrase += text.slice(at, end);
        this.#bare += withoutSpace(text.slice(at, end));
        return end;
      }
    }
  }

  /** A comma in a name that lacks its quotes: "Doe, John <john@x.test>". */
  #isWithinName(text: string, at: number): boolean {
    const hasMore = this.#route !== null || this.#comment !== "" || this.#phrase.includes("@");
    if (hasMore || trimOctets(this.#phrase) === "") return false;
    REST_OF_NAME.lastIndex = at + 1;
    return REST_OF_NAME.test(text);
  }

  #inBrackets(text: string, at: number): number {
    if (this.#route !== null) {
      // Only a space parts it from the one before; the words between belong to it.
      const name = this.#phrase.slice(this.#named);
      this.#phrase = this.#phrase.slice(0, this.#named);
      this.#end();
      this.#phrase = name;
    }
    this.#named = this.#phrase.length;
    const close = text.indexOf(">", at);
    let end = close < 0 ? text.length : close;
    this.#route = text.slice(at + 1, end).replace(BEFORE_ADDRESS, "");
    while (text[end] === ">") end++;
    return end;
  }

  #quoted(text: string, at: number): number {
    let end = at + 1;
    while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
    const said = unescaped(text.slice(at + 1, end));
    this.#phrase += said;
    // A local part means something else without its quotes (RFC 5322 section 3.4.1).
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
    this.#comment = unescaped(text.slice(at + 1, end));
    return end + 1;
  }

  /** What a phrase says where no brackets tell the address: one with its name, or several with spaces between. */
  #unbracketed(phrase: string): Address[] {
    const words = this.#bare.includes('"') ? [] : phrase.split(WHITE);
    const addresses = words.flatMap((word) => ADDRESS.exec(word)?.[1] ?? []);
    const name = words.filter((word) => !ADDRESS.test(word)).join(" ");
    if (addresses.length === 1) return [{ name: name || this.#comment, address: addresses[0] as string }];
    if (addresses.length > 1) return addresses.map((address) => ({ name: this.#comment, address }));
    if (!isName(decodeHeaderText(phrase))) return [{ name: this.#comment, address: this.#bare }];
    return [{ name: phrase, address: ADDRESS.test(this.#comment) ? this.#comment : "" }];
  }

  #end(): void {
    const phrase = trimOctets(this.#phrase);
    const bracketed = { name: phrase || this.#comment, address: trimOctets(this.#route ?? "") };
    for (const { name, address } of this.#route === null ? this.#unbracketed(phrase) : [bracketed]) {
      if (address === "" && name === "") continue;
      this.#addresses.push({ name: decodeHeaderText(name).trim(), address: decodeHeaderText(address) });
    }
    this.#phrase = "";
    this.#bare = "";
    this.#comment = "";
    this.#route = null;
  }
}

/** A bracket may be left of a pair. */
const ADDRESS = /^<?([^ @<>]+@[^ @<>]+)>?$/;

/** Several words of which none is an address, where there should be one. */
const isName = (phrase: string) => /\s/.test(phrase) && !phrase.includes("@");

/** Of octets: 0xA0 is the last one of "à" in UTF-8. */
const WHITE = /[\t-\r ]+/g;

const withoutSpace = (text: string) => text.replace(WHITE, "");

const unescaped = (text: string) => text.replace(/\\(.)/gs, "$1");

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** Where an address in brackets ends: its colons name no group (RFC 5321 section 4.1.3). In a name, brackets are text. */
const literalEnd = (text: string, at: number) =>
  text[at - 1] === "@" ? endOf(LITERAL, text, at) : undefined;

/** The first addresses in the octets of an unfolded header value. */
export const readAddresses = (octets: string, max: number, maxChars = MAX_ADDRESSES_CHARS): Address[] =>
  new AddressReader(octets.slice(0, maxChars), max).read();
