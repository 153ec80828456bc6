// Turns the HTML of a mail into a document that is safe to show. Every tag, attribute and text is written again from
// an allow-list, so the browser gets nothing that was not understood here. The document is shown in a sandboxed frame
// with a strict policy, but does not rely on them.
import { escapeUTF8 as escapeHtml } from "entities";
import { percentDecoded } from "../../lib/text.ts";
import { sanitizeCss } from "./sanitize-css.ts";
import { type Attributes, type HtmlVisitor, visitHtml } from "./tokens.ts";

/** Twice the limit for parsing a mail (MAX_PARSED_BYTES). */
const MAX_SAFE_HTML_CHARS = 16 * 1024 * 1024;

export interface SanitizeOptions {
  /** The address that serves the inline part with this Content-ID. */
  readonly inlineUrl: (cid: string) => string;
  readonly remote: boolean;
}

export interface SanitizedHtml {
  readonly html: string;
  readonly blocked_remote: number;
  /** False if the end of the mail is missing in the document. */
  readonly isAll: boolean;
}

const list = (names: string) => new Set(names.split(" "));

const ELEMENTS = list(
  "a abbr acronym address area article aside b bdi bdo big blockquote br caption center cite code col colgroup " +
    "dd del details dfn dir div dl dt em fieldset figcaption figure font footer h1 h2 h3 h4 h5 h6 header hgroup hr i " +
    "img ins kbd label legend li mail-button main map mark menu nav nobr ol p picture pre q rp rt ruby s samp section " +
    "small source span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr",
);

/**
 * All other tags are left out, but their text is kept. These two are replaced: a link around a button would not work,
 * and a form must not send anything.
 */
const SHOWN_AS = new Map([
  ["button", "mail-button"],
  ["form", "section"],
]);
/** Makes `mail-button` look as browsers show a button. Styles of the mail take precedence. */
const BUTTON_STYLE =
  "<style>:where(mail-button){display:inline-block;box-sizing:border-box;padding:1px 6px;border:2px outset buttonborder;" +
  "background-color:buttonface;color:buttontext;font:13.333px Arial;text-align:center}</style>";
/** Only in a selector: elsewhere "button" is a value or part of another name. */
const BUTTON_SELECTOR = /(?<![\w.#:="'[-])button(?![\w-])(?=[^{};]{0,200}\{)/gi;
const shownAs = (name: string) => SHOWN_AS.get(name) ?? name;

/** The elements of a head. Any other element begins the body. */
const IN_HEAD = list("html head base basefont bgsound link meta noscript script style title");
const NOT_BLANK = /[^\t\n\f\r ]/;

const ATTRIBUTES = list(
  "abbr align alink alt axis bgcolor border bordercolor bottommargin cellpadding cellspacing char charoff class " +
    "clear color colspan compact coords datetime dir face frame headers height hidden hspace id lang leftmargin link " +
    "marginheight marginwidth media name noshade nowrap open reversed rightmargin role rowspan rules scope shape size " +
    "sizes span start summary text title topmargin type usemap valign value vlink vspace width",
);

/** The elements whose `background` browsers fetch. */
const HAS_BACKGROUND = list("body table tbody td tfoot th thead tr");

const LINK = /^(?:https?:\/\/|mailto:|tel:|sms:|#)/i;
const REMOTE = /^(?:https?:)?\/\//i;
const DATA_IMAGE = /^data:image\/(?:png|jpe?g|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)[;,]/i;
const CONTENT_ID = /^cid:/i;

/** Browsers remove these characters before they read the scheme. */
const cleanAddress = (address: string) =>
  address
    .replace(/[\t\n\r]/g, "")
    .replace(/^[\x00-\x20]+/, "")
    .trimEnd();

class Sanitizer implements HtmlVisitor {
  readonly #options: SanitizeOptions;
  #body = "";
  /** How many more characters the document may have. Below zero nothing more is written. */
  #room = MAX_SAFE_HTML_CHARS;
  /** The attributes of html and body, such as `dir` and `class`. */
  readonly #frame = new Map<string, string>();
  /** The styles of the head. They stay out of the body, where they would count for `:first-child`. */
  #head = "";
  #isInHead = true;
  #hasButton = false;
  blocked = 0;

  constructor(options: SanitizeOptions) {
    this.#options = options;
  }

  open(name: string, attributes: Attributes): void {
    this.#isInHead &&= IN_HEAD.has(name);
    if (name === "html" || name === "body") {
      if (!this.#frame.has(name)) this.#frame.set(name, this.#bounded(this.#attributes(name, attributes)));
      return;
    }
    const shown = shownAs(name);
    this.#hasButton ||= name === "button";
    if (ELEMENTS.has(shown)) this.#write(`<${shown}${this.#attributes(shown, attributes)}>`);
  }

  close(name: string): void {
    const shown = shownAs(name);
    if (ELEMENTS.has(shown)) this.#write(`</${shown}>`);
  }

  text(raw: string): void {
    this.#isInHead &&= !NOT_BLANK.test(raw);
    this.#write(raw.replace(/</g, "&lt;").replace(/>/g, "&gt;"));
  }

  style(css: string, attributes: Attributes): void {
    const media = attributes.get("media");
    const forMedia = media === undefined ? "" : ` media="${escapeHtml(media)}"`;
    const style = `<style${forMedia}>${this.#css(css).replace(BUTTON_SELECTOR, "mail-button")}</style>`;
    if (this.#isInHead) this.#head += this.#bounded(style);
    else this.#write(style);
  }

  get isAll(): boolean {
    return this.#room >= 0;
  }

  document(): string {
    const { html = "", body = "" } = Object.fromEntries(this.#frame);
    return (
      `<!doctype html><html${html}><head><meta charset="utf-8"><meta name="referrer" content="no-referrer">` +
      (this.#hasButton ? BUTTON_STYLE : "") +
      '<meta name="viewport" content="width=device-width, initial-scale=1">' +
      `${this.#head}</head>` +
      `<body${body}>${this.#body}</body></html>`
    );
  }

  #write(piece: string): void {
    this.#body += this.#bounded(piece);
  }

  #bounded(piece: string): string {
    return this.#takeRoom(piece.length) ? piece : "";
  }

  #takeRoom(chars: number): boolean {
    if (this.#room >= 0) this.#room -= chars;
    return this.#room >= 0;
  }

  #css(css: string): string {
    return sanitizeCss(css, (address) => this.#resource(address));
  }

  #resource(written: string): string | null {
    const address = cleanAddress(written);
    if (CONTENT_ID.test(address)) return this.#inline(address);
    if (DATA_IMAGE.test(address)) return address;
    if (!REMOTE.test(address)) return null;
    if (this.#options.remote) return address.startsWith("//") ? `https:${address}` : address;
    this.blocked++;
    return null;
  }

  /** Takes room for the inline URL at once: one value may hold a million short `cid:` addresses. */
  #inline(address: string): string | null {
    // RFC 2392: a Content-ID in an address is percent-encoded.
    const cid = address.slice("cid:".length);
    const url = this.#options.inlineUrl(percentDecoded(cid) ?? cid);
    return this.#takeRoom(url.length) ? url : null;
  }

  #srcset(written: string): string | null {
    const candidates = written.split(/,\s+|,(?=\s*(?:https?:|cid:|\/\/))/).flatMap((candidate) => {
      const [address = "", descriptor = ""] = candidate.trim().split(/\s+/, 2);
      const resolved = this.#resource(address);
      return resolved === null
        ? []
        : `${resolved} ${/^[\d.]+[wx]$/.test(descriptor) ? descriptor : ""}`.trim();
    });
    return candidates.length === 0 ? null : candidates.join(", ");
  }

  #link(written: string): string | null {
    const address = cleanAddress(written);
    if (CONTENT_ID.test(address)) return this.#inline(address);
    return LINK.test(address) ? address : null;
  }

  #attribute(element: string, name: string, value: string): string | null {
    if (name === "style") return this.#css(value);
    if (name === "href") return element === "a" || element === "area" ? this.#link(value) : null;
    if (name === "src") return element === "img" ? this.#resource(value) : null;
    if (name === "srcset") return element === "img" || element === "source" ? this.#srcset(value) : null;
    if (name === "background") return HAS_BACKGROUND.has(element) ? this.#resource(value) : null;
    // A named image would shadow a property of `document`.
    if (name === "name" && element === "img") return null;
    if (ATTRIBUTES.has(name) || /^aria-[a-z]+$/.test(name)) return value;
    return null;
  }

  #attributes(element: string, attributes: Attributes): string {
    let out = "";
    let isLink = false;
    for (const [name, value] of attributes) {
      const safe = this.#attribute(element, name, value);
      if (safe === null) continue;
      out += ` ${name}="${escapeHtml(safe)}"`;
      if (name === "href" && !safe.startsWith("#")) isLink = true;
    }
    return isLink ? `${out} target="_blank" rel="noopener noreferrer"` : out;
  }
}

export function sanitizeHtml(html: string, options: SanitizeOptions): SanitizedHtml {
  const sanitizer = new Sanitizer(options);
  visitHtml(html, sanitizer);
  return { html: sanitizer.document(), blocked_remote: sanitizer.blocked, isAll: sanitizer.isAll };
}

const PREFERENCE = /\(\s*prefers-color-scheme\s*:\s*(light|dark)\s*\)/gi;
const ALWAYS = "(min-width:0)";
const NEVER = "(max-width:0)";

/** Style sheets and `<source>` elements, whose media queries may depend on the colour scheme. */
const ASKS = /<style[^>]*>[\s\S]*?<\/style>|<source[^>]*>/g;

/**
 * Shows a mail as a client in light or dark mode would. The colour scheme of a frame cannot be set from outside.
 * Takes a document made by sanitizeHtml.
 */
export function forceColorScheme(html: string, scheme: "light" | "dark"): string {
  const forced = html.replace(ASKS, (asking) =>
    asking.replace(PREFERENCE, (_, asked: string) => (asked.toLowerCase() === scheme ? ALWAYS : NEVER)),
  );
  return forced.replace("</head>", () => `<style>:root{color-scheme:${scheme}!important}</style></head>`);
}
