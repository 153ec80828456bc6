// The labels of numbers that are no one-time codes: the words for "number" and "ID", and for the things that
// are numbered, in the languages that mail is written in. Matched as parts of words.
import type { Span } from "./code-sentences.ts";
import { CODE_WORDS, OCCASION_WORDS } from "./code-words.ts";

const NUMBER_WORDS = [
  // Not "the number", "this number", "6-digit number": these may be the code.
  "(?<!\\b(?:the|this|following|digit|enter|type|use) )\\bnumber\\b|nummer|\\bnum[ée]ro|\\bnumer\\b|număr|numero\\b|nomor",
  "(?<!\\p{L})ids?(?!\\p{L})|identifi(?:ant|er|cador|cativo)\\b|\\btunnus|(?:nr|(?<!\\p{L})(?:no|č|č[íi]s(?:lo|la)?))(?!\\p{L})|sz[áa]m|numaras[ıi]",
  "номер|αριθμ|番号|[号號](?:码|碼)?|번호|(?<!ال)رقم|شماره|מספר|संख्या|नंबर|आईडी|หมายเลข|เลข|(?<!\\p{L})s[ốo](?!\\p{L})",
];

const NUMBERED_THINGS = [
  "\\b(?:order|invoice|ticket|case|booking|reservation|reference|ref|tracking|shipment|parcel|receipt|flight|session|request|sku|isbn|vat|iban|bic|swift|siret|p\\.? ?o\\.? box|zip|postal|awb)(?: ?(?:no|nr|number|id|code|#))?\\.?\\b",
  // Words that also stand in sentences about codes count only as a label.
  "(?<!\\byour )\\b(?:user|customer|client|account|acct|member(?:ship)?|policy|transaction|txn?|contract|serial|model|version|build|issue|pull request|job|article|item|tax|company|licen[cs]e|suite|room|port|section|extension|ext)(?: ?(?:no|nr|number|id|#)\\b|\\.?\\s?[:#]?\\s*$)",
  "\\bconfirmation number|bestell\\w*|rechnung\\w*|kunden\\w*|auftrag\\w*|sendung\\w*|vertrag\\w*|vorgang\\w*|buchung\\w*|refer[ea]n[zst]\\w*|\\bust\\b|\\bhrb\\b|handelsregister|\\bplz\\b|konto\\w*|steuer\\w*|artikel\\w*|mitglied\\w*|aktenzeichen",
  "commande|facture|r[ée]servation|r[ée]f[ée]rence|num[ée]ro (?:de )?(?:client|suivi|dossier|compte)|dossier|colis|contrat|siren|c[óo]digo postal|code postal",
  "pedido|factura|fatura|reserva|cliente|env[íi]o|albar[áa]n|recibo|ordine|fattura|prenotazione|spedizione|ricevuta|nota fiscal|protocolo|rastre\\w*|seguimiento|encomenda|pratica|utente|matr[íi]cula|folio|\\bcep\\b|\\bcnpj\\b|\\bnif\\b|\\bcif\\b|comand[aăi]|rezervare",
  "bestelling|factuur|klant\\w*|boeking|zam[óo]wieni\\w*|faktur\\w*|klienta|rezerwacj\\w*|zg[łl]oszeni\\w*|umowa|objedn[áa]vk\\w*|z[áa]sil\\w*|rezervac\\w*|narud[žz]b\\w*|užsakym\\w*|beställning\\w*|bestilling\\w*|ordre\\w*|tilau\\w*|lasku\\w*|sipari[şs]\\w*|fatura\\w*|m[üu][şs]teri|rendel[ée]s\\w*|kvk|\\bcvr\\b|\\bnip\\b|regon|\\bi[čc]o\\b|variabiln[íi] symbol",
  "заказ\\w*|сч[её]т\\w*|накладн\\w*|договор\\w*|клиент\\w*|бронир\\w*|обращени\\w*|замовлен\\w*|рахунок|(?<!\\p{L})инн(?!\\p{L})|поръчк\\w*|παραγγελ\\w*|τιμολ[όο]γ\\w*|πελ[άα]τη|κρ[άα]τηση|αφμ",
  "注文|請求|伝票|予約|顧客|お客様|問い合わせ|受付|口座|郵便|追跡|订单|訂單|发票|發票|快递|运单|流水|客户|工单|编号|編號|주문|송장|예약|운송장|고객",
  "الطلب|الفاتورة|سفارش|فاکتور|پیگیری|הזמנה|חשבונית|लेनदेन|ऑर्डर|चालान|คำสั่งซื้อ|ใบแจ้งหนี้|đơn hàng|hóa đơn|khách hàng|vận đơn|giao d[ịi]ch|pesanan|pelanggan|resi\\b",
  "phone|\\btel\\b|telefon\\w*|t[ée]l[ée]phone|tel[ée]fono|fax|call us|mobile|hotline|\\bmobil\\w*|電話|电话|전화|телефон\\w*",
  "\\bending\\b(?: in| with)?|endet auf|se terminant par|terminad[ao] en|copyright|since|gegr[üu]ndet|seit|depuis|desde",
];

const OTHER_NUMBERS = new RegExp([...NUMBER_WORDS, ...NUMBERED_THINGS].join("|"), "giu");

/** What may part a code's word from a thing it is for: not the "de" of "código de cliente". */
const PURPOSE =
  /^[^.,;!?\n\d]*(?:\p{L}{4}|(?<!\p{L})(?:for|für|zu[mr]|pour|para|per|voor|bij|dla|для|för|til|za|pro|cho)\s)[^.,;!?\n\d]*$/iu;
/** The sentence comes back to what it began with: "Your code for the order is …". */
const COMES_BACK = /(?:[:：]|(?<!\p{L})(?:is|lautet|ist|est|es|è|é|to|jest|je|är|er|là)\s)[\s*_"'“‘«([]*$/iu;

const LABEL_CHARS = 80;
/** A label belongs to the number when no more than this stands between them, such as "of the customer: ". */
const MAX_GAP_CHARS = 24;

/** The word of this kind that ends last. */
function lastOf(words: RegExp, text: string): Span | null {
  let last: Span | null = null;
  for (const { index, 0: word } of text.matchAll(words)) {
    const to = index + word.length;
    if (last === null || to > last.to) last = { from: index, to };
  }
  return last;
}

/** 1 if these words right before a number call it something else than a code, less the farther they do. */
export function labelBefore(before: string): number {
  const label = before.slice(-LABEL_CHARS);
  const other = lastOf(OTHER_NUMBERS, label);
  if (other === null) return 0;
  const code = lastOf(CODE_WORDS, label);
  if (code !== null && code.to >= other.to) return 0;
  if (code !== null && PURPOSE.test(label.slice(code.to, other.from)) && COMES_BACK.test(label)) return 0;
  const gap = label.length - other.to;
  return gap <= MAX_GAP_CHARS ? 1 : 1 - gap / LABEL_CHARS;
}

/** The same of the line above a number that stands alone: one that speaks of a code announces it. */
export function labelAbove(line: string): number {
  const isAnnouncement = line.search(CODE_WORDS) >= 0 || line.search(OCCASION_WORDS) >= 0;
  return isAnnouncement ? 0 : labelBefore(line);
}

/** The same of words right behind it: "… is your order number". */
export function isLabelledBehind(after: string): boolean {
  const other = after.search(OTHER_NUMBERS);
  const code = after.search(CODE_WORDS);
  return other >= 0 && (code < 0 || other < code);
}
