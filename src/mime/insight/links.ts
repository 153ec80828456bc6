// Lists the links of a message, each once: its address, its words, where it is, and what it is for.
import type { LinkHint, MessageHeader, MessageLink } from "../../model/index.ts";
import { wholeChars } from "../decode/charset.ts";
import { decodeEntities, visitHtml } from "../html/tokens.ts";
import { findTextLinks, MAX_URL_CHARS, wordsAfter, wordsBefore } from "./text-links.ts";

export interface LinkSource {
  readonly html: string;
  /** Empty if the mail has only HTML: a text made from the HTML would only repeat its links. */
  readonly text: string;
  readonly headers?: readonly MessageHeader[];
}

const MAX_LINKS = 10_000;
/** More than MAX_LINKS, because a link counts again when its words or hints differ. */
const MAX_OCCURRENCES = 20_000;
const MAX_TEXT_CHARS = 500;
const MAX_LEAD_CHARS = 100;
const SCHEME = /^(?:https?:\/\/|mailto:|tel:)./i;

const addressOf = (url: string) => url.replace(/[\t\n\r]/g, "").trim();
/** Addresses that differ only in spelling are the same link. */
const keyOf = (address: string) => (URL.canParse(address) ? new URL(address).href : address);
const labelOf = (text: string) => wholeChars(text.slice(0, MAX_TEXT_CHARS)).replace(/\s+/g, " ").trim();

class LinkList {
  readonly #links = new Map<string, MessageLink>();
  readonly #seen = new Set<string>();
  /** Hints from the words of the block above a link. */
  readonly #guesses = new Map<string, readonly LinkHint[]>();

  add(url: string, text: string, where: MessageLink["where"], hints: readonly LinkHint[]): void {
    const address = addressOf(url);
    if (!SCHEME.test(address) || address.length > MAX_URL_CHARS) return;
    const label = labelOf(text);
    const occurrence = `${address}\n${label}\n${hints.join()}`;
    if (this.#seen.has(occurrence) || this.#seen.size >= MAX_OCCURRENCES) return;
    this.#seen.add(occurrence);
    const key = keyOf(address);
    const known = this.#links.get(key);
    if (!known && this.#links.size >= MAX_LINKS) return;
    const link = known ?? { url: address, text: label, where, rel: [] };
    this.#links.set(key, { ...link, text: link.text || label, rel: [...new Set([...link.rel, ...hints])] });
  }

  guess(url: string, hints: readonly LinkHint[]): void {
    if (hints.length > 0) this.#guesses.set(keyOf(addressOf(url)), hints);
  }

  /** A guess counts only for a link without hints, and only if no link already has the guessed hint. */
  takeGuesses(): void {
    const told = new Set([...this.#links.values()].flatMap(({ rel }) => rel));
    for (const [key, hints] of this.#guesses) {
      const link = this.#links.get(key);
      if (link?.rel.length === 0)
        this.#links.set(key, { ...link, rel: hints.filter((hint) => !told.has(hint)) });
    }
  }

  toArray(): MessageLink[] {
    return [...this.#links.values()];
  }
}

/** The words of a link take precedence over the words around it. */
const firstOf = (own: LinkHint[], otherwise: () => LinkHint[]) => (own.length > 0 ? own : otherwise());

/** Elements that do not separate words. */
const INLINE =
  /^(?:abbr|acronym|b|bdi|bdo|big|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup|tt|u|var|wbr)$/;

interface Anchor {
  readonly url: string;
  readonly title: string;
  readonly words: string[];
  readonly lead: string;
  hasText: boolean;
}

function addFromHtml(html: string, links: LinkList): void {
  let current: Anchor | null = null;
  /** The last link, if it has no hints so far. The words after the link may give some. */
  let untold: { readonly url: string; readonly label: string } | null = null;
  /** Words outside of links, since the last link or block. */
  let run: string[] = [];
  /** The last words outside of links. Each link with text empties this. */
  let above = "";
  const endRun = (isBeforeLink: boolean): string => {
    const text = run.join("").replace(/\s+/g, " ");
    run = [];
    const hints = untold ? hintsFor(wordsAfter(text.slice(0, MAX_TEXT_CHARS), isBeforeLink), "") : [];
    if (untold && hints.length > 0) links.add(untold.url, untold.label, "html", hints);
    untold = null;
    if (text !== "") addFromText(text, "html", links);
    if (text.trim() !== "") above = text.slice(-MAX_LEAD_CHARS);
    return text.slice(-MAX_LEAD_CHARS);
  };
  const endLink = () => {
    if (!current) return;
    const { url, title, words, lead, hasText } = current;
    current = null;
    const label = labelOf(words.join("").trim() || title);
    const hints = firstOf(hintsFor(label, url), () => hintsFor(wordsBefore(lead), ""));
    links.add(url, label, "html", hints);
    untold = hints.length > 0 ? null : { url, label };
    // A picture alone is usually the logo at the top, which words above it do not describe.
    if (!hasText) return;
    if (lead.trim() === "" && above !== "") links.guess(url, hintsFor(wordsBefore(`${above}\n\n`), ""));
    above = "";
  };
  visitHtml(html, {
    open(name, attributes) {
      const lead = INLINE.test(name) ? "" : endRun(name === "a");
      if (name === "a") endLink();
      if (name === "img" && current) current.words.push(attributes.get("alt") ?? "");
      else if (!INLINE.test(name)) current?.words.push(" ");
      if (name !== "a" && name !== "area") return;
      const url = attributes.get("href");
      const title = attributes.get("title") ?? attributes.get("aria-label") ?? attributes.get("alt") ?? "";
      if (url === undefined) return;
      if (name === "area") links.add(url, title, "html", hintsFor(title, url));
      else current = { url, words: [], title, lead, hasText: false };
    },
    close(name) {
      if (!INLINE.test(name)) {
        endRun(false);
        current?.words.push(" ");
      }
      if (name === "a") endLink();
    },
    text(raw) {
      const text = decodeEntities(raw);
      if (!current) run.push(text);
      else if (current.words.length < MAX_TEXT_CHARS) current.words.push(text);
      if (current && text.trim() !== "") current.hasText = true;
    },
  });
  endRun(false);
  endLink();
}

function addFromText(text: string, where: MessageLink["where"], links: LinkList): void {
  for (const { url, label, after } of findTextLinks(text)) {
    const hints = firstOf(hintsFor(label, url), () => hintsFor(after, ""));
    links.add(url, label, where, hints);
  }
}

/** RFC 2369 section 2: white space is ignored. In a mailto link it may be part of a subject. */
const unfolded = (url: string) => (/^\s*https?:/i.test(url) ? url.replace(/\s+/g, "") : url);

const LIST_HEADERS = /^list-(?:unsubscribe|help|subscribe|archive|owner|post)$/i;

function addFromHeaders(headers: readonly MessageHeader[], links: LinkList): void {
  const isOneClick = headers.some(({ name }) => name.toLowerCase() === "list-unsubscribe-post");
  for (const { name, value } of headers) {
    if (!LIST_HEADERS.test(name)) continue;
    const isUnsubscribe = name.toLowerCase() === "list-unsubscribe";
    for (const [, written = ""] of value.matchAll(/<([^<>]+)>/g)) {
      const url = unfolded(written);
      const oneClick: LinkHint[] = isOneClick && /^\s*https:/i.test(url) ? ["one-click"] : [];
      const hints = isUnsubscribe ? (["unsubscribe", ...oneClick] as const) : [];
      links.add(url, "", "headers", [...hintsFor("", url), ...hints]);
    }
  }
}

export function findLinks({ html, text, headers = [] }: LinkSource): MessageLink[] {
  const links = new LinkList();
  addFromHtml(html, links);
  addFromText(text, "text", links);
  links.takeGuesses();
  addFromHeaders(headers, links);
  return links.toArray();
}

// What a link is for, guessed from its words and its address in many languages

const RESET_PASSWORD = [
  "(?:reset|(?<!ex)change|forgot(?:ten)?)[-_ ]?(?:(?:your|my|the)[-_ ]?)?pass(?!enger|port)",
  "(?:choose|create|recover|set|set[-_ ]?up|update)[-_ ]?(?:(?:your|my|the|a)[-_ ]?)?password",
  "new[-_ ]password|password[-_/ ]?(?:reset|recovery)|reset[-_ ]credentials|recover (?:access to )?(?:your|my) account",
  "(?:passwort|kennwort) (?:\\S{1,15} )?(?:zur[üu]cksetzen|neu|[äa]ndern|vergessen|festlegen|erstellen)|neues (?:passwort|kennwort)",
  "r[ée]initialis|mot de passe oubli|(?:nouveau|chang\\S{0,9}|modifi\\S{0,9}|cr[ée]e\\S{0,9}|d[ée]fini\\S{0,9}) (?:\\S{1,15} )?mot de passe",
  "restablec|(?:nueva|cambi\\S{0,9}|cre[ae]\\S{0,9}|recuper\\S{0,9}|olvid\\S{0,9}) (?:\\S{1,15} )?contrase",
  "redefini[rçc]|(?:nova|alter\\S{0,9}|cri[ae]\\S{0,9}|recuper\\S{0,9}|troc\\S{0,9}|repor|esquec\\S{0,9}) (?:\\S{1,15} )?(?:senha|palavra-passe)",
  "reimposta|(?:nuova|cambia|recupera|crea|imposta|modifica) (?:\\S{1,15} )?password",
  "nieuw wachtwoord|wachtwoord (?:opnieuw|herstel|reset|wijzig|vergeten|instel)",
  "resetuj|(?:now[ea]|zmień|odzyskaj|ustaw|utwórz) hasło|(?:obnov\\S{0,9}|změnit|nové|resetovat) (?:\\S{1,15} )?heslo",
  "сброс|(?:новый|смен|измен|восстанов|созда|скин|змін|віднов)\\S{0,9} (?:\\S{1,15} )?парол",
  "(?:[åa]terställ|nytt|byt|ändra) (?:ditt )?lösenord|(?:nulstil|skift|ny) (?:din )?adgangskode",
  "(?:tilbakestill|nytt|bytt|endre) (?:ditt )?passord|(?:vaihda|palauta|uusi) salasana",
  "(?:şifre|parola)\\S{0,9} (?:sıfırla|yenile|değiştir)|επαναφορά κωδικού|új jelszó|jelszó visszaállít|(?:reset|schimb)\\S{0,9} parol",
  "إعادة تعيين|تغيير كلمة|(?:đặt lại|đổi) mật khẩu|(?:atur ulang|reset|ubah) (?:kata )?sandi|รีเซ็ตรหัส|ตั้งรหัสผ่านใหม่|איפוס ה?סיסמ",
  "パスワード.{0,40}(?:再設定|リセット|変更|再発行)|(?:重[置设設]|修改|更改|找回)(?:您的|你的)?密[码碼]|비밀번호.{0,40}(?:재설정|변경|초기화)",
];

const HINTS: readonly [LinkHint, RegExp][] = [
  [
    "unsubscribe",
    /unsubscri|opt[-_ ]?out|list-?manage.*unsub|manage (?:your )?(?:email )?preferences|abmelden|abbestellen|austragen|d[ée]sabonn|d[ée]sinscri|dar(?:[mst]e)? de baja|(?:cancelar|anular) (?:la |tu |mi )?suscripci|cancelar (?:a )?(?:inscri|subscri)|descadastr|disiscri|cancellati(?![a-z])|(?:annulla|cancella) (?:l.)?iscrizione|uitschrijven|afmelden|wypisz|odhl[áa]sit|avprenumerer|avregistrer|afmeld|peruuta tilaus|abonelikten|отпис|відпис|配信停止|登録解除|購読(?:解除|停止)|退[订訂]|取消[订訂]|수신\s?거부|구독\s?(?:취소|해지)|zrezygnuj z (?:subskrypcji|newslettera|otrzymywania)|avsluta (?:din )?prenumeration|avmeld|frameld|peru tilaus|leiratkoz|dezabon|απεγγραφ|κατάργηση εγγραφής|إلغاء الاشتراك|hu[ỷy] đăng ký|hủy đăng ký|berhenti berlangganan|ยกเลิกการ(?:รับ|สมัคร)|הסר(?:ה)? מ|ביטול (?:הרשמה|מנוי)/i,
  ],
  ["reset-password", new RegExp(RESET_PASSWORD.join("|"), "i")],
  [
    "verify",
    /v[ée]rif|weryfik|(?<!d[eéi][sz]?)(?:activat|aktivier|active[er]|activar|ativar|attiva|aktywuj)|confirm|(?:complete|finish)[-_ ](?:your[-_ ])?(?:registration|sign[-_ ]?up)|validat|best[äa]tig|confirmer|valider|confirmar|conferma|bevestig|potwierd|bekr[äa]ft|bekr[æe]ft|vahvista|onayla|do[ğg]rula|подтверд|активир|підтверд|確認|認証|有効化|验证|驗證|激活|确认|確認|인증|확인|potvrd|ověř|overiť|megerősít|επιβεβαί|تأكيد|تفعيل|xác (?:nhận|minh|thực)|kích hoạt|konfirmasi|aktifkan|etkinleştir|ยืนยัน|אימות|אישור/i,
  ],
  [
    "sign-in",
    /signin(?!g)|login|(?<![a-z])(?:sign(?:ing)?|log(?:ging)?)[-_ ](?:(?:me|back)[-_ ])?in|magic[-_ ]?link|anmelden|einloggen|melde dich an|connexion|[ms]e connecter|connectez-vous|je me connecte|inici\S{0,5} (?:sesi|sess)|(?<![a-z])entrar|acessar|acceder a (?:mi|tu|su) cuenta|acc[ée]der à (?:mon|votre) compte|accedi(?![a-z])|inloggen|zaloguj|logowani|logga in|(?<![a-z])logg? ind?|kirjaudu|giri[şs]|oturum aç|войти|вход в |увійти|ログイン|サインイン|登录|登入|로그인|přihlás|prihlás|bejelentkez|autentificare|conect(?:are|ează-te)|prijav(?:a|i se)|σύνδεση|συνδεθ|تسجيل الدخول|đăng nhập|(?<![a-z])masuk(?![a-z])|เข้าสู่ระบบ|התחבר/i,
  ],
  [
    "view-online",
    /view (?:this |it )?(?:email |message )?(?:in (?:your |a )?browser|online)|web[-_ ]?version|im browser (?:ansehen|anzeigen|öffnen)|online[- ]?(?:ansehen|version|versie)|version en ligne|dans (?:votre|le) navigateur|ver (?:en|no) (?:el |tu )?navegador|nel browser|(?<![a-z])in (?:(?:de|je|uw) )?browser|w przegl[ąa]darce|в браузере|ブラウザ|浏览器|브라우저|瀏覽器|v prohlížeči|(?<![a-z])i (?:din |deres )?(?:webbläsare|browser|nettleser)|selaimessa|tarayıcı|περιήγησης|böngésző|în browser|trình duyệt|di browser/i,
  ],
];

const MAX_LOOKED_AT_CHARS = 500;

export function hintsFor(text: string, url: string): LinkHint[] {
  if (text === "" && url === "") return [];
  const looked = `${text.slice(0, MAX_LOOKED_AT_CHARS)} ${url.slice(0, MAX_LOOKED_AT_CHARS)}`;
  return HINTS.filter(([, pattern]) => pattern.test(looked)).map(([hint]) => hint);
}
