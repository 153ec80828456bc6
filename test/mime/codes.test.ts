// One-time codes in single texts, and in a corpus of mails in many languages.
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { type CodeSource, readCodes } from "../../src/mime/insight/codes.ts";

interface CorpusMail {
  readonly code: string | null;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const FOLDER = new URL("../fixtures/codes/", import.meta.url);
const WANTED_SCORE = 0.95;

function readMail(entry: string): CorpusMail {
  const [head = "", ...lines] = entry.split("\n");
  const [code = "", subject = ""] = head.split(" | ");
  const [first = "", second = ""] = lines.join("\n").split("\n---\n");
  const html = first.startsWith("<") ? first.trim() : second.trim();
  const text = first.startsWith("<") ? "" : first.trim();
  return { code: code === "-" ? null : code, subject, text, html };
}

const corpus = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".txt"))
  .flatMap((file) => readFileSync(new URL(file, FOLDER), "utf8").split(/^=== /m).slice(1))
  .map(readMail);

const findCodes = (source: CodeSource) => readCodes(source).codes;

describe("the corpus", () => {
  test("has at least 60 mails with a code, and some without", () => {
    expect(corpus.filter(({ code }) => code !== null).length).toBeGreaterThanOrEqual(60);
    expect(corpus.filter(({ code }) => code === null).length).toBeGreaterThanOrEqual(8);
  });

  test("gives the right code first in 95 % of its mails", () => {
    const wrong = corpus
      .filter((mail) => (findCodes(mail)[0]?.code ?? null) !== mail.code)
      .map(
        (mail) =>
          `${mail.subject}: wanted ${mail.code}, found ${JSON.stringify(findCodes(mail).slice(0, 3))}`,
      );
    const score = 1 - wrong.length / corpus.length;
    if (wrong.length > 0) console.log(`${(score * 100).toFixed(1)} %\n${wrong.join("\n")}`);
    expect(score).toBeGreaterThanOrEqual(WANTED_SCORE);
  });
});

const only = (text: string) => findCodes({ subject: "", text, html: "" }).map(({ code }) => code);

describe("codes", () => {
  test("come with the words around them and where they stand", () => {
    expect(findCodes({ subject: "Hello", text: "Your login code is 482913. Thanks.", html: "" })).toEqual([
      { code: "482913", context: "Your login code is 482913. Thanks.", where: "text" },
    ]);
  });

  test.each([0, 1])("the words around a code have no half of a character (padded by %d)", (padding) => {
    const text = `${"🎉".repeat(30)}${"!".repeat(padding)} Your code is 482913${"🎉".repeat(30)}`;
    const [found] = findCodes({ subject: "", text, html: "" });
    expect(found?.code).toBe("482913");
    expect(found?.context).toMatch(/^🎉+!? Your code is 482913🎉+$/u);
  });

  test.each([
    ["Your code: 123 456", "123456"],
    ["Your code: ABC-123", "ABC123"],
    ["Your verification code is: AB-482913", "AB482913"],
    ["Your code: 1 2 3 4 5 6", "123456"],
    // Pieces of unusual lengths: one piece used to be taken for the code.
    ["Your code: 555 1234", "5551234"],
    ["Your code is 4455 22", "445522"],
    ["Your code is 44 5522", "445522"],
    ["Your code is 12 345 678 and expires in 10 minutes", "12345678"],
    ["PIN: 12 34", "1234"],
    // These used to be taken for dates.
    ["Your code is 12-34-56", "123456"],
    ["Your code: 77-88-99.", "778899"],
    ["Je code is 55-44-33", "554433"],
    ["認証コードは12-34-56です。", "123456"],
    ["Use code 12-34-56 to sign in", "123456"],
    ["Your verification code:\n\n12-34-56\n", "123456"],
    ["Your code for Acme Mail is **12-34-56**", "123456"],
    // Other separators
    ["Your code is 1-2-3-4-5-6", "123456"],
    ["Your code: 445 - 522", "445522"],
    ["Your code: 123\u2009456", "123456"],
    ["Your code: 123\u202f456", "123456"],
    ["Your code is #445522", "445522"],
    ["Your code: 12345 67890", "1234567890"],
    ["Your code: 482.913", "482913"],
    ["Your code: 482·913", "482913"],
    // Lower case
    ["Your code: abc-123", "abc123"],
    ["Your code:\n\n8fkq2-mx91z", "8fkq2mx91z"],
    ["Use code ab12-cd34 to sign in", "ab12cd34"],
    ["Your code is a1b2 c3d4.", "a1b2c3d4"],
    ["Your code: 1a2b", "1a2b"],
  ])("split in print are joined: %p", (text, code) => {
    expect(only(text)).toEqual([code]);
  });

  test.each([
    ["Your code is 445522 12 people used it", ["445522"]],
    ["Your code is 4455 10 minutes left", ["4455"]],
    ["Your code is 445522 (12-11-26)", ["445522"]],
    ["Your code: 4455 – 12 Example Street", ["4455"]],
    ["Your code is valid until 12-11-26", []],
    ["Your code was sent on 12-11-26 to 555-123-4567", []],
    ["Your code: 2026-11-15", []],
    ["Your code is 01-02-2026", []],
    ["Sort code: 12-34-56", []],
    ["Colour code: #445522. Farbcode #445522", []],
    ["Call us: 555 1234", []],
    ["Your code is 24-hour valid. Your code is 10am. Your code is one-time", []],
    ["Your code is 1.299.000", []],
    ["Your code is 54321 10 people used it", ["54321"]],
    ["Paid: 12 34 56 EUR", []],
    ["Ticket #445522", []],
  ])("are not joined with their neighbours, and neither are dates and phone numbers: %p", (text, codes) => {
    expect(only(text)).toEqual(codes);
  });

  test.each([
    // The word "code" comes after the code.
    "739182 is your login code.\n\nRequest ID: 482913",
    "739182 is je inlogcode. Bestelnummer 482913",
    "739182 är din inloggningskod.\n\nOrdernummer 482913",
    "739182 ist Ihr Anmeldecode. Versicherungsnummer 482913",
    "739182 est votre code de connexion.\n\nIdentifiant : 482913",
    "739182 giriş kodunuzdur. Müşteri no: 482913",
    "739182 is your code and 482913 is your order number.",
    // The word "code" comes before the code.
    "Your code is 739182.\n\nConfirmation number: 482913",
    "Codul tău este 739182.\n\nNumăr comandă: 482913",
    "A kódja 739182. Csomagszám: 482913",
    "رمز الدخول الخاص بك هو 739182.\n\nرقم الطلب: 482913",
    "קוד הכניסה שלך הוא 739182.\n\nמספר הזמנה: 482913",
    "आपका कोड 739182 है।\n\nऑर्डर नंबर: 482913",
    "Kode verifikasi Anda adalah 739182.\n\nNo. pesanan: 482913",
    "認証コード：739182\nお客様番号：482913",
    // Words or numbers near the code make it look like something else.
    "Order number 482913. Enter 739182 to sign in.",
    "Thanks for your order no. 10023. Enter 739182 to sign in.",
    "Bestellnr. 482913. Geben Sie 739182 ein, um sich anzumelden.",
    "Заказ № 482913. Введите 739182 для входа.",
    "订单号 482913。请输入 739182 完成登录。",
    "Order\n480058\n\nYour verification code is 739182.",
    "Delivery code for order 482913 is 739182.",
    "Your code for order confirmation is 739182",
    "Votre code pour valider la commande 482913 : 739182",
    "Su código para confirmar el pedido es 739182",
    "Hier ist Ihr Code für Ihr Kundenkonto: 739182",
    "Ihr Abholcode zur Sendung 482913 lautet 739182.",
    "De code bij je bestelling is 739182",
    "Код подтверждения заказа: 739182",
    "رمز تأكيد رقم الهاتف: 739182",
    "Enter the following 6-digit number to verify your phone number: 739182",
    "Your order is almost complete! To confirm it, please use 739182.",
    "Your number is 739182. Enter it in the app.",
    "739182. Type this number in the app.",
    "Your PIN number: 739182. Invoice: 482913",
    "Order number: 482913\n\nEnter this code to sign in:\n\n739182",
    "Broj narudžbe: 482913\n\nVaš kôd je 739182.",
    "認証コードは739182です。\n\n株式会社アクメ 〒100-0001 東京都千代田区",
    "Votre code : 739182. Tél. 01 23 45 67 89",
    "Din kode er 739182. Org.nr. 912 345 678",
    "Din bekræftelseskode er 739182. CVR 12345678",
    "Your code: 739182\nDevice: Chrome V121.0.0.0 (Windows)",
    "Your tracking code is 48291302. Your confirmation code is 739182.",
    "Ref code: 555555\n\nLogin code: 739182",
    "Login reference code: 739182",
    "Your code is 739182. Need a code again? Dial 555-482917.",
    "Composez votre code suivi de # : 739182",
    "E-posta kodunuz: 739182",
  ])("are the only ones found among numbers with their own label: %p", (text) => {
    expect(only(text)).toEqual(["739182"]);
  });

  test.each([
    "Confirm your email: https://x.test/confirm\nUser ID: 582913",
    "A new sign-in to your account.\nSession ID: 84920183",
    "Please confirm your delivery slot 1800-2000.",
    "Sign in to see 1500 new jobs near 1010 Vienna.",
    "Your login: user4829\nSign in at https://x.test/login",
    "Please confirm your appointment at 1430 in Room 4021.\nPatient ID 582913.",
    "Your payment was confirmed. Authorization 582913.",
    "Security advisory RHSA-2026:48291 affects version 10482.",
    "We updated our code of conduct. 1200 people agreed. Section 4821 changes.",
    "Bitte bestätigen Sie.\nBenutzer-ID: 482913",
    "Confirme su cuenta.\nID de usuario: 482913",
    "أكد حسابك.\nرقم الطلب: 482913",
    "Verify your order\n\nOrder number:\n482913",
    "482913 is your order number. Confirm it.",
    "Ihre Anmeldung ist bestätigt. Startnummer: 4829.",
    "Votre inscription est confirmée sous le numéro 482913.",
    "Alert 482913: a login at 1530 from 10115 Berlin.",
    "Código de cliente: 482913. Confirme su cuenta.",
    "Please confirm your payment of\n\n4800\n\nEUR to Acme.",
    "Security report\n\nBlocked logins\n4821\n\nSuccessful logins\n1200",
    "Order number\n480058\n\nWe will confirm shipping soon.",
    "Order number: 480058\n\nUse this link to track your order.",
    "Closed this week:\n\n1. 482913\n2. 771204",
    "The PIN of your card ending 4821 has been changed.",
    "Your temporary password: x7Kq9!mZ",
    "Tracking code: 48291302. Booking code: X7K9QM. SWIFT code: COBADEFF. Redeem code XKQ293KD",
    "Ihr Buchungscode: X7K9QM. Artikel-Code: 482913",
    "Code de suivi : 4829130284. Código de rastreio: BR482913028. Codice destinatario: M5UXCR1",
    "Boekingscode: X7K9QM. Bokningskod: X7K9QM. Kod rezerwacji: X7K9QM. Rezervasyon kodu: X7K9QM",
    "Трек-код: 4829130284. 予約コード：X7K9QM。 상품코드: 482913",
    "Your one-time password is mZ$x7Kq9",
    "Codice cliente 482913, CAP 00184",
    "CEP 01310-100, código do produto 482913",
    "Code red alert: 4829 people affected. Tax code 1257L. Reply STOP to 48291.",
  ])("are not found where there is none: %p", (text) => {
    expect(only(text)).toEqual([]);
  });

  test.each([
    "Vaš kôd za potvrdu je 739182.",
    "Vaša potrditvena koda je 739182.",
    "Teie kinnituskood on 739182.",
    "Сіздің растау кодыңыз: 739182",
    "آپ کا تصدیقی کوڈ 739182 ہے۔",
    "আপনার যাচাইকরণ কোড হল ৭৩৯১৮২",
    "உங்கள் சரிபார்ப்புக் குறியீடு: 739182",
    "თქვენი კოდია: 739182",
    "Ձեր հաստատման կոդն է՝ 739182",
    "Msimbo wako wa uthibitishaji ni 739182.",
    "Tasdiqlash kodingiz: 739182. Uni hech kimga bermang.",
    "የማረጋገጫ ኮድዎ 739182 ነው።",
    "La tua password temporanea è 739182.",
    "Para entrar, introduzca la clave 739182 en la página.",
    "Ihre mobileTAN für die Überweisung über 120,00 EUR auf DE12500105170648489890 lautet 739182",
    "Nhập mã này để tiếp tục: 739182",
    "739182 sifresi ile 49,90 TL tutarindaki isleminizi onaylayabilirsiniz.",
    "Operacja z dn. 16-11-2026 kwota: 49,90 PLN; haslo: 739182 mBank",
    "Az egyszer használatos jelszava: 739182",
    "كلمة المرور لمرة واحدة هي 739182",
    "RM0.00 Maybank: TAC 739182 requested for transfer RM 250.00 to A/C ***4821.",
    "739182 is the OTP for INR 1,299.00 on your card ending 4821.",
    "mTAN: 739182 für die Überweisung auf Konto 480058",
    "Die smsTAN für Ihren Auftrag über 4.800 EUR lautet: 739182",
    "Payment of $1 299.90 739182 is your code",
    // These mails have no word for "code": they only say to enter or use the number.
    "Verify it is you by entering 739182 in the app.",
    "739182 will expire in 10 minutes. Use it to verify your account.",
    "Zadejte 739182 pro přihlášení.",
    "Zadajte 739182 pre prihlásenie.",
    "Skriv inn 739182 for å logge inn.",
    "Εισαγάγετε 739182 για σύνδεση.",
    "Introdu 739182 pentru autentificare.",
    "הזן 739182 כדי להתחבר.",
    "أدخل 739182 لتسجيل الدخول.",
    "739182 を入力してください。",
    "739182를 입력하세요.",
    "Giriş yapmak için 739182 girin.",
  ])("are announced in many languages: %p", (text) => {
    expect(only(text)).toEqual(["739182"]);
  });

  test.each([
    ["【银行】您的验证码是773155,5分钟内有效。客服95588", "773155"],
    ["您的验证码是7731,10分钟内有效,请勿泄露", "7731"],
    ["動態密碼 7731,5分鐘內有效", "7731"],
    ["認証コードは773155,10分間有効です", "773155"],
    ["인증번호는 773155,3분 이내 입력", "773155"],
    ["Your code is 773155,valid for 5 minutes", "773155"],
    ["Votre code est 773155,il expire dans 10 minutes", "773155"],
  ])("with a comma right after them are found: %p", (text, code) => {
    expect(only(text)[0]).toBe(code);
  });

  test.each([
    "验证码 773 155 分享给他人可能导致账号被盗",
    "認証コード:773-155 分からない場合はご連絡ください",
    "인증번호 773-155 분실하지 마세요",
    "您的验证码是 773 155 180秒内有效",
  ])("in two halves before a word that looks like minutes keep the second half: %p", (text) => {
    expect(only(text)[0]).toBe("773155");
  });

  test("are not years, prices, phone numbers, order numbers or colours", () => {
    expect(only("Copyright 2026. Price $1,299.00. Call +1 555 010 4477. Order 77412093. #ff5733")).toEqual(
      [],
    );
  });

  test("are found after a long table", () => {
    const rows = Array.from({ length: 400 }, (_, row) => `Article ${48000 + row}  Widget  qty 1`);
    expect(only(`${rows.join("\n")}\n\nYour verification code is 739182.`)).toEqual(["739182"]);
  });

  test("come as a whole list", () => {
    const list = Array.from({ length: 16 }, (_, row) => String(7391820 + 37 * row));
    expect(only(`Your recovery codes:\n\n${list.join("\n")}`)).toEqual(list);
  });

  test("come as a whole list, in lower case too", () => {
    const list = Array.from({ length: 16 }, (_, row) => `${row.toString(16)}f3a0-9cx${row + 10}`);
    expect(only(`Your recovery codes:\n\n${list.join("\n")}`)).toEqual(
      list.map((code) => code.replace("-", "")),
    );
  });

  test.each(["- ", "• ", "1. ", "12) "])("come as a whole list with %p before each", (mark) => {
    const codes = ["k7qf2-m8x1a", "z3bn4-p9w0c"];
    expect(only(`Recovery codes:\n\n${codes.map((code) => mark + code).join("\n")}`)).toEqual(
      codes.map((code) => code.replace("-", "")),
    );
  });

  test.each([
    "739\u200c182",
    "7\u200c3\u200c9\u200c1\u200c8\u200c2",
    "739\u200d182",
    "739\u200b182",
    "739\u00ad182",
    "739\ufeff182",
  ])("with invisible marks inside are found: %j", (print) => {
    expect(only(`Your code is ${print}.`)).toEqual(["739182"]);
    expect(findCodes({ subject: "", text: "", html: `<p>Your code is <b>${print}</b></p>` })).toMatchObject([
      { code: "739182", context: "Your code is 739182" },
    ]);
  });

  test.each([
    "739182\u200bDo not share",
    "739182\u200c\u200c\u200cHello",
    "739182\u200bAMAZON",
    "Code\u200b739182",
  ])("end at a word that only an invisible mark separates from them: %j", (text) => {
    expect(only(`Your code: ${text}`)).toEqual(["739182"]);
  });

  test.each([">>> 739182 <<<", "→ 739182 ←", "┌────────┐\n│ 739182 │\n└────────┘"])(
    "in a frame of signs stand alone: %j",
    (print) => {
      expect(only(`Welcome back\n\n${print}\n\nSee you`)).toEqual(["739182"]);
    },
  );

  test.each(["3c3\n< 48291320\n---\n< 48291330", "Moved\n\n← 482913\n→ 482914"])(
    "are not numbers with an arrow on one side: %j",
    (text) => {
      expect(only(text)).toEqual([]);
    },
  );

  test.each(["Mật khẩu dùng một lần của bạn là 739182", "Ma xac thuc cua ban la 739182"])(
    "in Vietnamese are found: %j",
    (text) => {
      expect(only(text)).toEqual(["739182"]);
    },
  );

  test("that were replaced come last", () => {
    expect(only("Your previous code 111222 has expired. Your new code is 333444.")).toEqual([
      "333444",
      "111222",
    ]);
  });

  test("for discounts, errors and postal addresses are not one-time codes", () => {
    expect(only("Promo code SAVE2030. Error code 50213. Postal code 75001. Area code 02204.")).toEqual([]);
    expect(only("The code freeze starts 20261201. Tickets 44120 and 44133 must be done.")).toEqual([]);
  });

  test.each([
    "Save 20% with code SAVE2026",
    "Get $10 off your next order with code LAST30",
    "Sichern Sie sich 5 % Rabatt mit dem Code HERBST26",
    "Sparen Sie 10 € mit dem Code HERBST26",
    "Mit dem Code HERBST26 sparst du 20 %",
    "Use code SAVE2026 and save $10",
    "Profitez de 20 % avec le code ETE2026",
    "Spara 20% med koden HOST26",
    "Oszczędzaj 20% z kodem JESIEN26",
    "Economize 20% com o código OUTONO26",
    "Ahorre un 20% con el código OTONO26",
    "Risparmia il 20% con il codice AUTUNNO26",
    "Risparmio del 20% con il codice AUTUNNO26",
    "Ahorro de hasta un 20 % con el código OTONO26",
    "Economia de 20% com o código OUTONO26",
    "Oszczędność 20% z kodem JESIEN26",
    "Sparpreis 20% mit dem Code HERBST26",
    "Use access code EARLY20 for 20% off sitewide.",
    "Your early access code: VIP30\n\nEnjoy 30% off before anyone else.",
    "Share your invite code ANNA15 and your friends get 15% off.",
    "コード SUMMER20 で20%オフ",
    "Скидка 20% по коду OSEN2026",
    "20% de remise avec le code ETE2026",
    "使用代码 SUMMER20 享20%优惠",
    "SUMMER20\tcode for\t20%\toff",
    "Get 30% off everything. Code: BLACK30",
    "Hol dir 20% mit dem Code HERBST20!",
    "خصم 20% مع الكود XMAS26.",
    "با کد XMAS26 تخفیف ۲۰٪ بگیرید.",
    "Giảm 20% với mã XMAS26.",
    "Diskon 20% dengan kode XMAS26.",
    "20% popusta uz kod XMAS26.",
    "Введите код XMAS26 и получите скидку",
    "コード XMAS26 で割引",
    "20% отстъпка с код XMAS26.",
    "कोड XMAS26 के साथ 20% छूट पाएं।",
    "20% отстъпка с код ESEN20.",
    "با کد AUTUMN20 تخفیف ۲۰٪ بگیرید.",
  ])("for a discount are not one-time codes: %p", (text) => {
    expect(only(text)).toEqual([]);
  });

  test("that the subject and the text name to save money are not one-time codes", () => {
    const text = "Use code SAVE2026 at checkout";
    expect(findCodes({ subject: "Save 20% with code SAVE2026", text, html: "" })).toEqual([]);
  });

  test('after "save" or "off" without an amount are one-time codes', () => {
    expect(only("Save\n\nYour code is 482913")).toEqual(["482913"]);
    expect(only("Log off  and use code 482913")).toEqual(["482913"]);
    expect(only("Save     this code: 482913")).toEqual(["482913"]);
  });

  test("that confirm or sign in are one-time codes, also next to a discount", () => {
    expect(only("Verify to get 10% off: your verification code is 482913.")).toEqual(["482913"]);
    expect(only("Use code 482913 at checkout to verify your card")).toEqual(["482913"]);
    expect(only("Votre code de vérification 482913 vous offre 10% de réduction.")).toEqual(["482913"]);
    expect(only("आपका कोड 482913 है। कोड XMAS26 के साथ 20% छूट पाएं।")).toEqual(["482913"]);
    expect(only("コードは482913です。初回20%オフ！")).toEqual(["482913"]);
    expect(only("您的验证码是482913，登录即享优惠")).toEqual(["482913"]);
    expect(only("인증번호 482913 입력하고 할인 받으세요")).toEqual(["482913"]);
    expect(only("Код подтверждения 482913 для получения скидки")).toEqual(["482913"]);
    expect(only("100% secure: your one-time code is K7QF2M")).toEqual(["K7QF2M"]);
    expect(only("Use code X7K9Q2 to authorise payment of £25.00")).toEqual(["X7K9Q2"]);
  });

  test.each([
    "Ihre TAN für die Überweisung Sparkasse 250,00 EUR: 739182",
    "739182 ist Ihre TAN für den Sparplan 50,00 EUR",
    "Överföring Sparkonto 500 kr, kod 739182",
    "Sparebanken 500 kr, kode 739182",
    "Konto oszczędnościowe 500 PLN, kod: 739182",
    "Conto risparmio 500 EUR, codice 739182",
    "Cuenta de ahorro 500 EUR, código 739182",
    "Poupança 500 EUR, código 739182",
    "Economy $250, code 739182",
  ])("next to the money of a savings bank are one-time codes: %j", (text) => {
    expect(only(text)).toEqual(["739182"]);
  });

  test.each([
    ["Your code is KXQFM2\n\nOr open https://x.test/login?next=%2Fhome", "KXQFM2"],
    ["Your code is KXQFM40\n\nOr open https://x.test/login?user=ann%40x.test", "KXQFM40"],
    ["Your verification code: KXQFM5\n\nMembers save 5%.", "KXQFM5"],
  ])("that end like a percentage, or an octet of an address, are found: %j", (text, code) => {
    expect(only(text)).toEqual([code]);
  });

  test.each([
    "Your code is K7QF2M and your battery is at 20%",
    "Your profile is 80% complete, enter code K7QF2M to continue",
    "Payment of $20.00 taken, the code was K7QF2M",
  ])("next to an amount that nobody saves are one-time codes: %p", (text) => {
    expect(only(text)).toEqual(["K7QF2M"]);
  });

  test.each([
    "Your activation key: 7F3K-9Q2M-LL2P",
    "Your activation code: ABCDE-12345-FGHIJ-KLMNO-PQRST",
    "Your recovery key is a1b2-c3d4-e5f6",
  ])("are not parts of a longer key: %p", (text) => {
    expect(only(text)).toEqual([]);
  });

  test("do not make a discount code after them a one-time code", () => {
    expect(only("Your verification code is 482913\n\nUse SAVE20 for 20% off.")).toEqual(["482913"]);
  });

  test.each([
    ["Your 15% off code", "Here is your code:\n\nWELCOME15"],
    ["$10 off your next ride", "Your code is RIDE10NOW"],
    ["Free shipping with code FREESHIP26", "Use FREESHIP26 at checkout."],
    ["限时8折", "结账时输入 SAVE2026 即可享受优惠。"],
    ["You got a voucher", "Enter this code:\n\nXMAS2026"],
    ["Ihr Gutscheincode", "Ihr Code lautet: HERBST26"],
    ["Tu cupón de descuento", "Tu código: VERANO20"],
  ])("that only the subject calls a discount are not one-time codes: %s", (subject, text) => {
    expect(findCodes({ subject, text, html: "" })).toEqual([]);
  });

  test.each([
    ["Welcome! 20% off inside", "Confirm your email with the code 482913. Your discount is waiting."],
    ["Discount Tire: verify your email", "Your code is\n\nAB48CD"],
    ["Your voucher account", "Your sign-in code is AB48CD"],
    ["Terminal 5 off-site parking", "Your code is AB48CD"],
  ])("in mail of a shop that speaks of discounts are one-time codes: %s", (subject, text) => {
    expect(findCodes({ subject, text, html: "" })).toHaveLength(1);
  });

  test.each([
    ["Recovery codes: a1b2c, d3e4f and g5h6i", "a1b2c d3e4f g5h6i"],
    ["Your codes: 4829, 7712, 3391", "4829 7712 3391"],
    ["Recovery codes:\n\n1a2b-3c4d 5e6f-7a8b\n9c0d-1e2f 3a4b-5c6d\n", "1a2b3c4d 5e6f7a8b 9c0d1e2f 3a4b5c6d"],
    ["Save your recovery codes:\n\n1a2b3-c4d5e   f6g7h-8i9j0", "1a2b3c4d5e f6g7h8i9j0"],
    ["Recovery codes: a1b2c d3e4f g5h6i", "a1b2c d3e4f g5h6i"],
    ["Your codes: 4829 7712 3391 1020 (each works once)", "4829 7712 3391 1020"],
    [
      "Recovery codes\n\n  1. 482913      3. 771204\n  2. 339182      4. 100293",
      "482913 771204 339182 100293",
    ],
  ])("of one line are all found: %p", (text, codes) => {
    expect(only(text)).toEqual(codes.split(" "));
  });

  test.each([
    [["1234 5678", "2345 6789"], ["3456 7890", "4567 8901"], "12345678 23456789 34567890 45678901"],
    [["Code:", "482", "913"], ["Valid for", "10 minutes"], "482913"],
    [["Your", "code"], ["4", "8", "2", "9", "1", "3"], "482913"],
    [["Your", "code"], ["K7Q", "F2M"], "K7QF2M"],
    [["Your", "code"], ["K", "7", "Q", "F", "2", "M"], "K7QF2M"],
    [["Your", "code"], ["4", "8", "2", "-", "9", "1", "3"], "482913"],
    [["Your", "code"], ["482", "—", "913"], "482913"],
    [["Your", "code"], ["482 -", "913"], "482913"],
    [["Amount", "Code"], ["$10", "482913"], "482913"],
  ])("in the cells of a table stay apart: %p %p", (first, second, codes) => {
    const rows = [first, second].map((cells) => `<tr><td>${cells.join("</td><td>")}</td></tr>`);
    const html = `<p>Your backup codes</p><table>${rows.join("")}</table>`;
    expect(findCodes({ subject: "", text: "", html }).map(({ code }) => code)).toEqual(codes.split(" "));
  });

  test("of letters and digits are joined where they have a line to themselves, or one for each", () => {
    expect(only("Use the code below to sign in.\n\nK7Q F2M\n")).toEqual(["K7QF2M"]);
    expect(only("Your code\n\nK\n7\nQ\nF\n2\nM\n")).toEqual(["K7QF2M"]);
    expect(only("Enter this code in the app.\n\nK 7 Q F 2 M\n")).toEqual(["K7QF2M"]);
    expect(only("Your code is 482913.\n\nK1A 0B1\nOttawa")).toEqual(["482913"]);
  });

  test.each([
    "Please enter: 739182",
    "Enter the following:\n739182",
    "Type in the number 739182 on the page",
    "Bitte geben Sie ein: 739182",
    "Bitte eingeben: 739182",
    "Saisissez : 739182",
    "Introduzca: 739182",
    "Inserire: 739182",
    "Digite: 739182",
    "Vul in: 739182",
    "Wprowadź: 739182",
    "Введите: 739182",
    "请输入：739182",
    "入力：739182",
    "입력: 739182",
    "Your activation key is 739182",
    "Eenmalig wachtwoord: 739182",
    "Ваш код: 739182. Скидки до 50%",
    "Twój kod: 739182. Promocja trwa!",
  ])("are found if the mail only asks to type them in: %j", (text) => {
    expect(only(text)).toEqual(["739182"]);
  });

  test.each([
    "Type: 739182",
    "In use: 48291",
    "Press Enter: 739182 results",
    "Enter the number of guests: 1200",
    "Please enter your order number 739182",
    "Codice promo: AUTUNNO20",
    "Vorteilscode: WINTER25",
    "Code avantage : HIVER25",
    "Kod zniżkowy: ZIMA25",
    "Slevový kód: ZIMA25",
    "Cod de reducere: IARNA25",
    "Kampanjkod: VINTER25",
    "İndirim kodu: KIS25",
    "Код скидки: ZIMA25",
    "Κωδικός έκπτωσης: WINTER25",
    "كود الخصم: WINTER25",
    "קוד הנחה: WINTER25",
    "Mã giảm giá: DONG25",
    "Kode diskon: DINGIN25",
    "รหัสส่วนลด: WINTER25",
    "कूपन कोड: WINTER25",
    "프로모션 코드: WINTER25",
  ])("are not found after other labels, or if they are for discounts: %j", (text) => {
    expect(only(text)).toEqual([]);
  });

  test("are not words next to a number, but may be next to letters and digits", () => {
    expect(only("482913 is the OTP for your transaction. OTPs are SECRET.")).toEqual(["482913"]);
    expect(only("Recovery codes:\n\nABCDE\nF2GH3\n")).toEqual(["F2GH3", "ABCDE"]);
    expect(only("Recovery codes:\n\n48291\nABCDE\nF2GH3\n")).toContain("ABCDE");
  });

  test("are not numbers with tabs between them in a text", () => {
    expect(only("Orders\n\n100\t250\n")).toEqual([]);
  });

  test("on one line are not a list if the second is a year or has another label", () => {
    expect(only("Your code is 4829, 2026 edition")).toEqual(["4829"]);
    expect(only("Your code is 482913, 771204 is your order number")).toEqual(["482913"]);
    expect(only("Your code is 4829, 5000 points await")).toEqual(["4829"]);
    expect(only("Your code: K7QF2M\nLH1234 departs at noon")).toEqual(["K7QF2M"]);
  });

  test.each(["FA+9qCX9VSu", "x7Yz+12abCd", "+aB3cD4eF5g"])("are not parts of an app's hash: %s", (hash) => {
    expect(only(`<#> 482913 is your login code ${hash}`)).toEqual(["482913"]);
  });

  test("in digits of other scripts are given as people type them", () => {
    expect(only("認証コード：５９０２７３")).toEqual(["590273"]);
    expect(only("رمز التحقق: ٨٣٦١٥٤")).toEqual(["836154"]);
  });
});

describe("a number or word of mail among programmers is not a code:", () => {
  test.each([
    "The DNS server responded with code NXDOMAIN.",
    "The lookup of example.test responded with code NOERROR",
    "The host responded with code 80458680",
    "Could not connect: error code 10061",
    "Build #48291 failed. Pipeline 482913. Job code-check: exit 1234. npm ERR! code E404 12345",
    "[ACME-4829] Fix code 482913 path. Verify the security patch 482913",
    "Could not connect. Error (code 10061)",
    "Could not connect (error: code 10061, errcode=10061)",
    "The code failed with errno 10061",
    "The code returned SQLSTATE 42000",
    "The code failed with error 10060",
    "The process exited with code 13765",
    "Diagnostic-Code: smtp; 550 5.1.1 mwinf5c77 unknown user",
    "Bug 7068 has been fixed, the code was reviewed",
    "Bug 7068: verification code not sent",
    "Bugzilla 70681: the code crashes",
    "The code is 1500 lines long",
    "The code follows ISO 10646 and Unicode.",
    "The code decodes RFC 822, rfc822 and base64 parts, see RFC-XXXX",
    "The code uses SHA1 for this.",
    "Source code for Oracle9iAS",
    "This code is OTHER than expected",
    "The code reads 6400 bytes",
    "Bank Code: 21003467",
    "Your postcode is 75008",
    `Here is the code:\n\nbegin 644 a.c\nMZA48M(&EN${"A".repeat(51)}\nend`,
  ])("%s", (text) => {
    expect(only(text)).toEqual([]);
  });
});

describe("codes in groups of digits and in words:", () => {
  test.each([
    ["Your one time access number is 83 62 19.", "836219"],
    ["Your security code for the payment of £25.00 is 83 62 19", "836219"],
    ["Your temporary login code is sparo-golop-fifi-sevin.", "sparo-golop-fifi-sevin"],
    ["Copy and paste this login code:\n\nsparo-golop-fifi-sevin\n\nIf you did not", "sparo-golop-fifi-sevin"],
  ])("%s", (text, code) => {
    expect(only(text)[0]).toBe(code);
  });

  test("words with dashes are not a code if none is announced", () => {
    expect(only("A well-known easy-peasy-lemon-squeezy recipe")).toEqual([]);
  });
});
