// Address lists of From and To (RFC 5322 section 3.4), read forgivingly and in linear time:
// display names, comments, quoted strings, groups, encoded words.
import { decodeHeaderText } from "./header-text.ts";
import { MAX_ADDRESSES_CHARS } from "./limits.ts";

export interface Address {
  readonly name: string;
  readonly address: string;
}

/** Ends before an address in brackets. Long enough for a name. */
const REST_OF_NAME = /[^"(),;:<>@]{2,100}(?=<[^<>@\s]+@)/y;
const LITERAL = /\[[^[\]<>,;]*\]/y;

class AddressReader {
  readonly #octets: string;
  readonly #max: number;
  readonly #addresses: Address[] = [];
  #phrase = "";
  /** The same as an address that stands without angle brackets. */
  #bare = "";
  #comment = "";
  #route: string | null = null;

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
      case "<": {
        const end = text.indexOf(">", at);
        this.#route = text.slice(at + 1, end < 0 ? text.length : end);
        return end < 0 ? text.length : end + 1;
      }
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
        let end = literalEnd(text, at) ?? at + 1;
        while (end < text.length && !'"(<,;:['.includes(text[end] as string)) end++;
        this.#phrase += text.slice(at, end);
        this.#bare += withoutSpace(text.slice(at, end));
        return end;
      }
    }
  }

  /** A comma in a name that lacks its quotes: "Doe, John <john@x.test>". */
  #isWithinName(text: string, at: number): boolean {
    const hasMore = this.#route !== null || this.#comment !== "" || this.#phrase.includes("@");
    if (hasMore || this.#phrase.trim() === "") return false;
    REST_OF_NAME.lastIndex = at + 1;
    return REST_OF_NAME.test(text);
  }

  #quoted(text: string, at: number): number {
    let end = at + 1;
    while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
    const said = text.slice(at + 1, end).replace(/\\(.)/gs, "$1");
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
    this.#comment = text.slice(at + 1, end);
    return end + 1;
  }

  /** The words of a name, and the address that is theirs; undefined where all of it is an address. */
  #parted(phrase: string): [name: string, address: string | undefined] {
    if (this.#route !== null) return [phrase, this.#route.trim()];
    const [, name, address] = this.#bare.includes('"') ? [] : (NAMED_ADDRESS.exec(phrase) ?? []);
    if (name !== undefined) return [name.trim(), address];
    if (!isName(decodeHeaderText(phrase))) return [phrase, undefined];
    return [phrase, ADDRESS.test(this.#comment) ? this.#comment : ""];
  }

  /** Several addresses with only spaces between them, or the one that there is. */
  #spaced(phrase: string): string[] {
    const words = this.#bare.includes('"') ? [] : phrase.split(/\s+/);
    return words.length > 1 && words.every((word) => ADDRESS.test(word)) ? words : [this.#bare];
  }

  #end(): void {
    const [phrase, route] = this.#parted(this.#phrase.trim());
    const name = route === undefined ? this.#comment : phrase || this.#comment;
    for (const address of route === undefined ? this.#spaced(phrase) : [route]) {
      if (address === "" && name === "") continue;
      this.#addresses.push({ name: decodeHeaderText(name).trim(), address: decodeHeaderText(address) });
    }
    this.#phrase = "";
    this.#bare = "";
    this.#comment = "";
    this.#route = null;
  }
}

const ADDRESS = /^[^\s@]+@[^\s@]+$/;
/** A name before an address that lacks its brackets. */
const NAMED_ADDRESS = /^([^@]+)\s([^\s@]+@[^\s@]+)$/s;

/** Several words of which none is an address, where there should be one. */
const isName = (phrase: string) => /\s/.test(phrase) && !phrase.includes("@");

const withoutSpace = (text: string) => text.replace(/\s+/g, "");

/** Where an address in brackets ends: its colons name no group (RFC 5321 section 4.1.3). In a name, brackets are text. */
function literalEnd(text: string, at: number): number | undefined {
  if (text[at] !== "[" || text[at - 1] !== "@") return undefined;
  LITERAL.lastIndex = at;
  return LITERAL.test(text) ? LITERAL.lastIndex : undefined;
}

/** The first addresses in the octets of an unfolded header value. */
export const readAddresses = (octets: string, max: number, maxChars = MAX_ADDRESSES_CHARS): Address[] =>
  new AddressReader(octets.slice(0, maxChars), max).read();
