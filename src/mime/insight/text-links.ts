// Finds links in plain text, and the words around a link that describe it.

export const MAX_URL_CHARS = 8192;
const MAX_LINKS = 20_000;
const MAX_LABEL_CHARS = 100;
/** Text that was cut off the ends of addresses is searched for links, in total up to this limit. */
const MAX_REREAD_CHARS = 1024 * 1024;

const START = "(?<![a-z0-9])(?:https?:\\/\\/|mailto:|tel:)";
/** The comma, semicolon, question mark and full stop of Arabic and Urdu; the full stops of Hindi. */
const OTHER_STOPS = "\\u060c\\u061b\\u061f\\u06d4\\u0964\\u0965";
const CJK_STOPS = "\\u3000-\\u3002\\u3008-\\u3011\\uff01\\uff08\\uff09\\uff0c\\uff1a\\uff1b\\uff1f";
/** Characters without width, such as those that right-to-left text puts around an address. */
const MARKS = "\\u061c\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u2069\\ufeff";
const NOT_IN_URL = `\\s<>"\`\\u00ab\\u00bb\\u201c-\\u201e${OTHER_STOPS}${CJK_STOPS}${MARKS}`;
const TEXT_LINK = new RegExp(`${START}[^${NOT_IN_URL}]{1,${MAX_URL_CHARS}}`, "gi");
const NEXT_LINK = new RegExp(START, "i");
const WRAPPED_LINK =
  /(?<=<(?:URL:)?)https?:\/\/[^\s<>"]{1,1000}(?:[ \t]{0,8}\r?\n[ \t]{0,8}(?!(?:https?|mailto|tel):)[^\s<>"]{1,1000}){1,20}(?=>)/gi;

/** Some mailers wrap long addresses. In angle brackets the line breaks do not count (RFC 3986 appendix C). */
const unwrapped = (text: string) => text.replace(WRAPPED_LINK, (link) => link.replace(/\s+/g, ""));
const CLOSERS: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };
const CLOSER_OF = new Map(Object.entries(CLOSERS).map(([closer, opener]) => [opener, closer]));

const countOf = (text: string, char: string) => text.split(char).length - 1;

/** Chinese, Japanese or Korean text may follow an address without a space: "…?t=1をクリック". */
const CJK_BEHIND = /^[\x21-\x7e]*[a-z0-9](?=[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}])/iu;

/** Emphasis that begins before an address: the same mark at the end of the address closes it. */
const OPEN_MARKS = ["*", "_", "~"].map(
  (mark) => [mark, new RegExp(`(?:^|[\\s("'*_~[])[${mark}](?!\\s)[^${mark}]*$`)] as const,
);

/**
 * Punctuation at the end belongs to the sentence, and so does a bracket, unless the address opened it. An
 * address with a token may itself end in "_", "~" or "*", so these are cut off only if they close an emphasis.
 */
function trimSentence(url: string, lineBefore: string): string {
  const open = OPEN_MARKS.filter(([, isOpen]) => isOpen.test(lineBefore)).map(([mark]) => mark);
  const trimmed = `.,;:!?…'’›|${open.join("")}`;
  const unopened = new Map(
    Object.entries(CLOSERS).map(([closer, opener]) => [closer, countOf(url, closer) - countOf(url, opener)]),
  );
  let end = url.length;
  for (; end > 0; end--) {
    const char = url[end - 1] as string;
    const surplus = unopened.get(char);
    if (surplus === undefined ? !trimmed.includes(char) : surplus <= 0) break;
    if (surplus !== undefined) unopened.set(char, surplus - 1);
  }
  return url.slice(0, end);
}

/** An address right after a bracket ends where that bracket is closed. */
function withinBracket(url: string, opener: string): string {
  const closer = CLOSER_OF.get(opener);
  if (closer === undefined) return url;
  let depth = 1;
  for (let at = 0; at < url.length; at++) {
    if (url[at] === opener) depth++;
    else if (url[at] === closer && --depth === 0) return url.slice(0, at);
  }
  return url;
}

function cutUrl(text: string, start: number, found: string): string {
  const end = start + found.length;
  if (text[start - 1] === "<" && text[end] === ">") return found;
  const before = text.slice(Math.max(0, start - MAX_LABEL_CHARS), start);
  const url = withinBracket(CJK_BEHIND.exec(found)?.[0] ?? found, before.at(-1) ?? "");
  return trimSentence(url, before.slice(before.lastIndexOf("\n") + 1));
}

const SENTENCE_END = /(?:[.!?](?=\s)|[。！？;|•·\n])/;
/** `[words](` and the `[words]: ` of a list of references. */
const MARKDOWN_WORDS = /\[([^[\]]*)\](?:\(|:\s*<?)$/;
/** Finds the line above a link that is at the start of its line. */
const LINE_ABOVE = /(?:^|\n)([^\n]*)\n(\s*\n)?[ \t<([]*$/;
const EDGES = /^[\s\p{P}\p{S}]+|[\s[(<:：–—-]+$/gu;
const OWN_WORDS_END = /[.,;!?|•·\n。！？，]|\s[-–—]/;

/** A finished sentence describes the next link only with one of these words: "Click the button." */
const SPEAKS_OF_LINK =
  /(?<![a-z])(?:links?|url|button|knopf|lien|bouton|enlace|bot[óo]n|bot[ãa]o|pulsante|knop)(?![a-z])|click|klick|cliqu|(?<![a-z])clic(?![a-z])|klik|ссылк|кнопк|посилан|リンク|クリック|ボタン|链接|鏈接|連結|点击|點擊|按[钮鈕]|링크|클릭|버튼/i;

/** In "If you did not ask for a new password, click below" the link is for something else. */
const SPEAKS_OF_OTHER =
  /(?:did|was|were|have)(?: not|n['’]t)|nicht|n['’]avez pas|no (?:ha|has|fuiste|fue) |não (?:foi|solicit)|(?<![а-я])не |(?:not|n['’]t|never) (?:share|forward)|clicked|geklickt|cliqué|above|ci-dessus|at the (?:bottom|end)/i;

const SPEAKS_OF_TIME = /expir|valid (?:for|until)|gültig|有効期/i;

/** The last sentence, if it describes the next link. In a finished line, skips sentences about expiry. */
function pointingWords(line: string, isOver: boolean): string | null {
  const sentences = line.replace(/[.!?。！？]+$/, "").split(SENTENCE_END);
  const words = sentences.findLast((sentence) => !isOver || !SPEAKS_OF_TIME.test(sentence)) ?? "";
  return SPEAKS_OF_LINK.test(words) && !SPEAKS_OF_OTHER.test(words) ? words : null;
}

/** The line above, if it speaks of a link or is unfinished. Before an empty line, only ":" makes it unfinished. */
function leadingWords(before: string): string {
  const match = LINE_ABOVE.exec(before);
  if (!match) return before;
  const above = (match[1] ?? "").trimEnd();
  const isOver = match[2] === undefined ? /[.!?。！？]$/.test(above) : !/[:：]$/.test(above);
  return pointingWords(above, isOver) ?? (isOver ? "" : above);
}

export function wordsBefore(before: string): string {
  const markdown = MARKDOWN_WORDS.exec(before);
  const words = markdown ? (markdown[1] ?? "") : (leadingWords(before).split(SENTENCE_END).at(-1) ?? "");
  const label = words.replace(EDGES, "");
  return /\p{L}/u.test(label) ? label : "";
}

/** The words after a link, unless they lead to the next link. */
export function wordsAfter(following: string, isBeforeLink = false): string {
  const end = following.search(OWN_WORDS_END);
  const words = end < 0 ? following : following.slice(0, end);
  return NEXT_LINK.test(words) || (isBeforeLink && end < 0) ? "" : words.trim();
}

/** `label` has the words before a link, or the words of a Markdown link. `after` has the words after the link. */
export function* findTextLinks(source: string) {
  const text = unwrapped(source);
  const pattern = new RegExp(TEXT_LINK);
  let previousEnd = 0;
  let reread = 0;
  for (let found = 0; found < MAX_LINKS; found++) {
    const match = pattern.exec(text);
    if (!match) return;
    const start = match.index;
    const url = cutUrl(text, start, match[0]);
    const end = start + url.length;
    const before = text.slice(Math.max(previousEnd, start - MAX_LABEL_CHARS), start);
    yield { url, label: wordsBefore(before), after: wordsAfter(text.slice(end, end + MAX_LABEL_CHARS)) };
    previousEnd = end;
    reread += match[0].length - url.length;
    if (reread < MAX_REREAD_CHARS) pattern.lastIndex = Math.max(end, start + 1);
  }
}
