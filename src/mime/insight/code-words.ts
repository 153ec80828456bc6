// Words near one-time codes and near other numbers, in many languages. Many of them match as parts of words, too.

const pattern = (...words: string[]) => new RegExp(words.join("|"), "giu");

const SIGN_IN_NAMES = [
  "\\b(?:one[- ]?time|single[- ]use|temporary)\\s+(?:pass(?:word|code)|code|pin)",
  "(?:verification|security|confirmation|login|log-in|sign-?in|authenti\\w+|activation|pairing|reset|recovery|2fa|mfa|validation) (?:code|pin|token)s?\\b",
  "\\b(?:verification|confirmation|activation|registration|login|recovery) keys?\\b|eenmalig wachtwoord",
];
const FULL_NAMES = [...SIGN_IN_NAMES, "(?:access|invite) (?:code|pin|token)s?\\b"];

/** Names of one-time codes. A few of them, such as "access code", are also used in advertising. */
export const ONE_TIME_CODE = pattern(...FULL_NAMES);

/** Names that advertising does not use, unlike "Early access code: VIP30". */
export const SIGN_IN_CODE = pattern(...SIGN_IN_NAMES);

export const CODE_WORDS = pattern(
  ...FULL_NAMES,
  "(?:verification|security|authenti\\w+|activation|access|one[- ]?time) number|\\bsecur(?:e|ity) key\\b|\\b(?:pin|tan|otp|code)[- ](?:number|nummer|nr)\\b|digit number\\b",
  "\\bpass-?(?:code|key|phrase)s?\\b|\\bcodes?\\b|\\botp\\b|\\bpin\\b|\\btoken\\b|\\btac\\b|\\b(?:m|mobile|sms|push|photo|chip|app)?-?tan\\b",
  // German, Dutch, Scandinavian, Finnish, Icelandic
  "code\\b|einmal(?:passwort|kennwort)|best[äa]tigungs(?:nummer|zahl)|kod(?:e|en|er)?\\b|eng[åa]n?gs(?:kod|passord|l[öo]senord)\\w*|kood(?:i\\w*)?\\b|kertak[äa]ytt[öo]\\w*|kóði|folgenden? (?:ziffern|zahl)",
  // French, Spanish, Portuguese, Catalan, Italian, Romanian
  "c[óo]digo|codi\\b|codice|cod(?:ul)?\\b|mot de passe (?:à usage unique|temporaire)|clave (?:de|din[áa]mica|temporal)|(?<!\\p{L})(?:la|su|tu) clave\\b|contrase[ñn]a (?:de un solo uso|temporal)|senha (?:tempor[áa]ria|de uso [úu]nico)|token de|password (?:temporanea|provvisoria|monouso)",
  // Polish, Czech, Slovak, Hungarian, South Slavic, Albanian, Uzbek, Turkish, Baltic
  "\\bkod(?:[aiou]|em|y|unuz(?:dur)?|unu|ingiz)?\\b|\\bk[óoô]d(?:ja|ot|om|u)?\\b|jednor[aá]zov[éy]|jednorazow\\w*|do[ğg]rulama|tek kullan[ıi]ml[ıi]k|kodas\\b|kods\\b|(?<!\\p{L})(?:has[łl]o|[şs]ifre(?:niz|si|n)?)(?!\\p{L})|egyszer használatos",
  // Greek, Russian, Ukrainian, Bulgarian, Serbian, Kazakh
  "κωδικ[όο]\\w*|(?<!\\p{L})код(?!екс)\\p{L}{0,6}|парол[ьяю]\\w*",
  // Japanese, Chinese, Korean
  "コード|(?:認証|確認|検証|承認)番号|ワンタイム\\S*|暗証番号|(?:验证|校验|动态|安全|确认|登录|驗證|確認|動態|安全|認證)(?:码|碼|密码|密碼)|一次性密[码碼]|(?:인증|확인|보안|로그인)\\s?(?:번호|코드)|일회용|코드",
  // Arabic, Hebrew, Persian, Urdu, Thai, Lao, Khmer, Burmese, Vietnamese, Indonesian, Swahili
  "رمز|كود|لمرة واحدة|کد|کوڈ|קוד|סיסמה|รหัส|ລະຫັດ|កូដ|ကုဒ်|otp|(?<!\\p{L})mã(?!\\p{L})|mật khẩu (?:dùng )?một lần|\\bma xac (?:thuc|nhan|minh)\\b|kode|msimbo",
  // Hindi, Marathi, Nepali, Bengali, Gujarati, Punjabi, Tamil, Telugu, Kannada, Malayalam, Georgian, Armenian, Amharic
  "कोड|ओटीपी|কোড|કોડ|ਕੋਡ|குறியீடு|కోడ్|ಕೋಡ್|കോഡ്|კოდ|կոդ|ኮድ",
);

/** Words that make a code likely without naming it. */
export const OCCASION_WORDS = pattern(
  "v[ée]rif|confirm|authenti|sign(?:ing)?[- ]?in|log(?:ging)?[- ]?in|approve|security|two-(?:step|factor)|2fa",
  "anmeld|best[äa]tig|sicherheit|connexion|connecter|s[ée]curit|inici[oa]r? sesi|verific|seguran|accesso|inlog|logowani|inloggning|kirjaut|giri[şs]",
  "вход|войти|подтверж?д|підтверд|потвърж?д|ログイン|認証|登录|登入|验证|驗證|로그인|인증|تسجيل|כניסה",
);

/** One of these words as the label of a number: "Verification: …". */
export const OCCASION_LABEL = new RegExp(
  `(?:${OCCASION_WORDS.source})\\p{L}*(?:\\s(?:is|ist|est|es|è|é))?[\\s:：*_-]*$`,
  "iu",
);

const BARGAIN =
  "promo|vorteil|avantage|cadeau|zniżk|скидк|знижк|отстъпк|промо|κουπόνι|έκπτωσ|خصم|تخفیف|הנחה|קופון|giảm giá|diskon|ส่วนลด|कूपन|छूट|[iİ]ndirim|kampan[yj]|kupon|slev|z[ľl]av|reducere|popust|descompte|nuolaid|atlaiž|soodus|alennus|프로모션|할인|折扣|優惠|优惠";
const ITS_CODE =
  "codes?|codice|cod(?:ul)?|codi|c[óo]digo|kod\\p{L}{0,5}|k[óo]d|koo?d\\p{L}{0,4}|код\\p{L}{0,3}|κωδικ\\p{L}{0,3}|رمز|كود|کد|קוד|mã|รหัส|कोड|코드|代?[码碼]|コード";

/** Names of codes for other purposes. */
const OTHER_CODES = pattern(
  `(?<!\\p{L})(?:${BARGAIN})[\\p{L}\\p{M}]{0,8}[- ]?(?:${ITS_CODE})(?!\\p{L})`,
  `(?<!\\p{L})(?:${ITS_CODE}) ?(?:de |di |za |dla |ال)?(?:${BARGAIN})[\\p{L}\\p{M}]{0,8}`,
  // Codes that programs return, and bank codes
  "\\b(?:respond|repl[iy]|return|exit|end|fail|terminat|answer)(?:s|e?d)? (?:with )?(?:(?:a|an|the) )?(?:\\w{1,12} )?codes?\\b|\\bdiagnostic-code:[^\\n]*|\\berr(?:or)?(?:: | \\(|! )codes?\\b|\\bbank code(?=\\s?:)",
  "\\bcodes? of (?:conduct|ethics|honou?r|practice)|\\bcode[- ](?:freeze|review|base|coverage|changes?|owners?|quality|style|red)\\b|\\bcode-check\\b",
  "\\b(?:promo(?:tion(?:al)?)?|coupon|discount|voucher|gift(?: card)?|redeem|redemption|referral|offer|savings?|tracking|booking|reservation|order|item|article|sku|swift|bic|branch|hs|err(?:or)?|status|exit|response|return|reason|area|country|dial(?:l?ing)?|postal|post|zip|sort|bar|qr|source|dress|building|product|colou?r|hex|currency|language|http|tax|fix)[- ]?codes?\\b|\\bref codes?(?=\\s?:)",
  "(?:gutschein|rabatt|aktions|werbe|buchungs|reservierungs|tracking|artikel|produkt|fehler|farb|status|l[äa]nder|vorwahl|qr-?|bar|strich)-?codes?\\b|\\bpostleitzahl\\w*",
  "\\bcodes? (?:promo\\w*|couleur|postal|postaux|de r[ée]duction|d.erreur|barres?|parrainage|pays|de suivi)|c[óo]digos? (?:postal|promocional|d(?:el?|o|a) (?:color|cor|descuento|desconto|error|erro|barras|[áa]rea|rastre\\w+|seguimiento|producto|produto))|codice (?:postale|sconto|promozionale|errore|fiscale|univoco|destinatario|prodotto|articolo|a barre)",
  "(?:kortings|actie|kleur|fout|land|reserverings|boekings|klant|product|artikel|rabat|rabatt|feil|fel|boknings|bestillings|sp[åo]rnings|sporings|alennus|varaus)-?(?:code|kode|kod|koodi)\\w*|kod (?:rabatowy|pocztowy|b[łl][ęe]du|rezerwacji|produktu)|(?:rezervasyon|[üu]r[üu]n|takip|hata|(?<!e-)posta) kodu\\w*|промокод\\w*|трек-?код\\w*|(?:почтов\\w+ индекс|код (?:ошибки|товара))|(?:クーポン|割引|エラー|予約|商品|追跡)コード|郵便番号|优惠[码碼]|邮政编码|(?:할인|예약|상품) ?코드|쿠폰 ?(?:코드|번호)|우편번호",
);

const MASK = "\u0000";

export const maskOtherCodes = (text: string): string =>
  text.replace(OTHER_CODES, (name) => MASK.repeat(name.length));

export const OTHER_CODE = new RegExp(`${MASK}+`, "g");

/** Phrases that tie the words before them to the number after them: "Your code is …". */
export const STRAIGHT_BEFORE =
  /(?:(?<!\p{L})(?:is|are|use|enter|type|lautet|ist|est|es|é|è|to|jest|je|är|er|on|now|code|kod|pin)|[:：は为為是—]|입니다|=>|->|→)\s*[*_"'“‘«「『[(]?\s*$/iu;

/** Phrases that tie the number before them to the words after them: "… is your code". */
export const STRAIGHT_AFTER =
  /^["'”’»」』\])*_]?\s+(?:is|ist|est|es|è|é|jest|är|er|on)\s+(?:your|the|ihre?|deine?|votre|le|tu|su|seu|il|twój|din|ditt)(?!\p{L})/iu;

/** Verbs that ask to type something in. */
const ENTER =
  "enter(?:ing)?|typ(?:e|ing) in|key in|saisissez|entrez|introdu(?:ce|zca|ceți)?|ingres[ae]|digit[ae]|insira|inserisci|wpisz|wprowadź|ange|skriv inn?|tast inn|indtast|syötä|zadejte|zadajte|unesite|vnesite|sisestage|įveskite|ievadiet|masukkan|nhập|введите|введіть|въведете|εισαγάγετε|εισάγετε|πληκτρολογήστε|أدخل|ادخل|הזן|הזינו|הקלד|दर्ज करें|กรอก|ป้อน";

/** Verbs that count only right before a code, because "Type: …" and "Disk use: …" are labels. */
const USE =
  "typ(?:e|ing)|tap|use|using|gib|geben sie|verwende[nt]?(?: sie)?|nutzen sie|utilisez|us[ae]|voer|gebruik|użyj|bru[gk]|använd|käytä|použijte|adja meg a|írja be a|gunakan|используйте|استخدم";

/** Verbs at the end of a sentence before a colon: "bitte eingeben:". */
const ENTER_ALL =
  "eingeben|(?:geben sie|gib)(?: bitte)? ein|ins[ée]rer|inserire|introducir|ingresar|digitar|inserir|(?:voer|vul) in";

const WHAT = "(?: (?:in|the|this|these|following|below)){1,3}";

/** Text right before a code that asks the reader to type it in. */
export const ASKED_FOR_BEFORE = new RegExp(
  [
    `(?<![\\p{L}\\p{M}])(?:${ENTER}|${USE})\\s*[*_"'“‘«([]?\\s*$`,
    `(?<![\\p{L}\\p{M}]|(?:press|hit) )(?:${ENTER}|${ENTER_ALL}|enter${WHAT})\\s?[:：][\\s*_"'“‘«([]*$`,
    `(?<!\\p{L})(?:enter|type)${WHAT} (?:numbers?|digits)\\s?[:：]?[\\s*_"'“‘«([]*$`,
    "[输輸]入[「“]?\\s*$|(?:[输輸]入|入力|입력)\\s?[:：]\\s*$",
  ].join("|"),
  "iu",
);

/** The request right after a code: "739182. Enter it". In some languages the verb comes last. */
export const ASKED_FOR_BEHIND =
  /^["'”’»」』\])*_]?\s?(?:\.?\s*(?:use|enter|type) (?:it(?!\p{L})|this(?=\s(?:in|to|on|at|when|within|as|number|pin)(?!\p{L})|[.!]))|を(?:ご)?(?:入力|使用|利用)|[를을]\s?입력|\p{L}{0,3}\s?(?:girin|giriniz|yazın)(?!\p{L})|दर्ज|درج کریں|را وارد)/iu;

/** Text after a number that says that the number expires. */
export const EXPIRES =
  /^["'”’»」』\])*_]?\s+(?:will expire|expires|is valid|gilt|verfällt|expire|caduca|vence|scade|verloopt)(?!\p{L})/iu;

/** Text before a code that is no longer valid: "Your previous login code". */
export const IS_OLD_BEFORE =
  /(?<!\p{L})(?:previous(?:ly)?|old|expired|former|earlier|prior|superseded|outdated|invalid|instead of|alte[rn]?|bisherige[rn]?|vorherige[rn]?|fr[üu]here[rn]?|abgelaufene[rn]?|statt|ancien|pr[ée]c[ée]dent|expir[ée]|anterior|antiguo|antigo|caducado|expirado|vecchio|precedente|scaduto|oude|vorige|verlopen|poprzedni|stary|tidligere|gamla|старый|предыдущий|прежний)(?!\p{L})(?:\s+(?!new|neue|nouveau|nuevo|novo|nuovo)[\p{L}-]+){0,4}[\s:：("'“#*]*$|(?:以前|前回|古い|旧|之前|이전)の?\S{0,8}[\s:：]*$/iu;

/** Text after a code, in the same sentence, that says that the code is no longer valid. */
export const IS_OLD_AFTER =
  /^\s?[([](?:now )?(?:expired|replaced|superseded|invalid|old)[)\]]|^[^.!?;\n]{0,40}?(?<!\p{L})(?:(?:has|have|is|was|already) (?:now )?(?:expired|superseded|replaced|cancel+ed|revoked|void)|no longer|not valid any ?more|nicht mehr|abgelaufen|ung[üu]ltig|n.est plus|a expir[ée]|ya no|ha (?:caducado|expirado)|ha sido|n[ãa]o [ée] mais|expirou|non [èe] pi[ùu]|[èe] scaduto|niet meer|is verlopen|(?:больше|уже) не|истек)(?!\p{L})/iu;

/** Stands in place of each character of an amount, except the percent sign. */
export const MONEY = "\u00a0";

/** Words for saving money, next to an amount: "Ahorro del 20 %", but not "Sparkasse 250 €". */
const CHEAPER = [
  `(?<!\\p{L})(?:(?:save|take|enjoy|spar(?:e[nr]?|st|t|ar?)?)(?!\\p{L})|économis|econom(?:i[sz]|itz)|oszczęd[zź]|säästä|ušetř|ušetri|profite|bénéfici|ahorr(?!os?(?!\\p{L}))|aprovech|risparmi(?!o(?!\\p{L}))|approfitt|bespaar|poup(?!an)|aproveit|скидк|знижк|отстъпк|slev|zniżk|popust|diskon|giảm|خصم|تخفیف)\\p{L}*(?:[ \\t]\\p{L}{1,4})?[ \\t]*${MONEY}`,
  `(?<!\\p{L})(?:ahorros?|risparmio|economias?|économies|oszczędnoś(?:ć|ci)|poupança|sparpreise?|ersparnis)(?:[ \\t]\\p{L}{1,5}){0,3}[ \\t]*${MONEY}+[%٪]`,
  `${MONEY}[%٪]?[ \\t]*(?:(?:off|rabatt?|rabatu|korting|indirim|alennus|sconto|taniej|günstiger|billiger)(?!\\p{L})|(?:de |di )?(?:r[ée]duction|remise|rabais|des(?:cuento|conto)|sconto|скидк|знижк|отстъпк|slev|zniżk|popust|nuolaid|kedvezmény|έκπτωση|reducere|diskon|छूट)|オフ|引|割引|优惠|優惠|할인|خصم|تخفیف|הנחה)`,
].join("|");

const SAME_SENTENCE = "[^.!?।。！？؟۔\\n]";

/** Text after a code, in the same sentence, that shows that the code is for a discount. */
export const SAVES_MONEY = new RegExp(
  `^${SAME_SENTENCE}{0,50}?(?:${CHEAPER}|discount|at (?:the )?checkout|rabatt|r[ée]duction|descuento|desconto|sconto|korting|скидк|优惠|優惠|折扣|割引|할인)`,
  "iu",
);

/** Text before a code, in the same sentence, that shows that the code is for a discount. */
export const SAVED_MONEY = new RegExp(`(?:${CHEAPER})${SAME_SENTENCE}{0,40}$`, "iu");

/** Words in the subjects of mails with discount codes. */
export const PROMOTION =
  /(?<!\p{L})(?:promo(?:s|tions?|tional)?(?!\p{L})|coupon|voucher|discount|gift ?card|referral|gutschein|rabatt|r[ée]duction|cup[oó]n|descuento|desconto|sconto|korting|kupon|rabat(?!z)|скидк|промокод|free (?:shipping|delivery)|versandkostenfrei|livraison (?:gratuite|offerte)|env[íi]o gratis|spedizione gratuita|frete gr[áa]tis)|割引|クーポン|优惠|優惠|\d折|折扣|할인|쿠폰|(?:[%€£]|[$€£]\s?\d[\d.,]{0,10})\s?off(?!\p{L})/iu;

/** Labels of other numbers: words for "number" and "ID", and for things that have numbers. */
export const OTHER_NUMBERS = pattern(
  // Not "the number", "this number", "6-digit number": these may be the code.
  "(?<!\\b(?:the|this|following|digit|enter|type|use) )\\bnumber\\b|nummer|\\bnum[ée]ro|\\bnumer\\b|număr|numero\\b|nomor",
  "(?<!\\p{L})ids?(?!\\p{L})|identifi(?:ant|er|cador|cativo)\\b|\\btunnus|(?:nr|(?<!\\p{L})(?:no|č|č[íi]s(?:lo|la)?))(?!\\p{L})|sz[áa]m|numaras[ıi]",
  "номер|αριθμ|番号|[号號](?:码|碼)?|번호|(?<!ال)رقم|شماره|מספר|संख्या|नंबर|आईडी|หมายเลข|เลข|(?<!\\p{L})s[ốo](?!\\p{L})",
  "\\b(?:order|invoice|ticket|case|booking|reservation|reference|ref|tracking|shipment|parcel|receipt|flight|session|request|sku|isbn|vat|iban|bic|swift|siret|p\\.? ?o\\.? box|zip|postal|awb)(?: ?(?:no|nr|number|id|code|#))?\\.?\\b",
  // Words that also occur in sentences about codes count only as labels.
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
);

const MARKUP = "[\\s:：=*_>|→\"'“‘«「『—-]*";
const VERB = "(?:(?<!\\p{L})(?:is|are|now|lautet|ist|est|es|é|è|jest|je|är|er)(?!\\p{L})|は|为|為|是|는|은)";
const PURPOSE =
  "(?:\\s+(?:for|für|pour|para|per|voor|dla|для)\\s[^.!?:：\\n\\d]{1,40}?(?=[:：]|\\s(?:is|ist|est|es|è|é)\\s))";
/** Text that may stand between a word for "code" and the code. */
export const BETWEEN_WORD_AND_CODE = new RegExp(`^${PURPOSE}?${MARKUP}(?:${VERB}${MARKUP})?$`, "iu");

/** Names of standards, programs and bugs. Their numbers look like codes in mail about software. */
export const TECHNICAL =
  /\b(?:rfc|pep|jsr|iso|iec|ieee|cve|bug|bugzilla|errno|sqlstate|error|sha|md|utf|http|base|windows|oracle)[- ]?#?\d\w*(?:-\d+)?|\brfc-x+\b/giu;

/** Words in capitals that look like codes. */
export const PLAIN_WORDS = "OTHER|ERROR|BELOW|ABOVE|NOERROR|NXDOMAIN|SERVFAIL|REFUSED";
